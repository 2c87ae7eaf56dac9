"""What a search on a cluster has written so far."""

from mrtune.study import StudyRecord, close_storage, load_study, open_storage, read_study


def record(url: str, name: str) -> StudyRecord:
    """Read a study as another process would."""
    storage = open_storage(url)
    try:
        return read_study(load_study(storage, name))
    finally:
        close_storage(storage)
