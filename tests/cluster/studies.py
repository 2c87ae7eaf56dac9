"""What a search on a cluster has written so far."""

from mrtune.study import (
    StudyRecord,
    close_storage,
    load_study,
    open_storage,
    read_study,
    study_names,
)


def begun(url: str, name: str) -> bool:
    """Whether a search has made its study."""
    storage = open_storage(url)
    try:
        return name in study_names(storage)
    finally:
        close_storage(storage)


def record(url: str, name: str) -> StudyRecord:
    """Read a study as another process would."""
    storage = open_storage(url)
    try:
        return read_study(load_study(storage, name))
    finally:
        close_storage(storage)
