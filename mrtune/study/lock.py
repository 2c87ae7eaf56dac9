"""What only one process may do to a study at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock
from optuna.storages import RDBStorage
from sqlalchemy import text

NAMESPACE = 7_677_538  # keeps our advisory locks apart from those of others in the database


@contextmanager
def study_lock(storage: RDBStorage, study_id: int) -> Iterator[None]:
    """Hold the study's lock: a file beside an SQLite file, an advisory lock in PostgreSQL."""
    if storage.engine.dialect.name == "sqlite":
        with FileLock(f"{storage.engine.url.database}.lock"):
            yield
        return
    key = {"space": NAMESPACE, "study": study_id}
    with storage.engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:space, :study)"), key)
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:space, :study)"), key)
            connection.commit()
