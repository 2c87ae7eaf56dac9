"""What only one process may do at a time, to a study or to a whole database."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from filelock import FileLock
from optuna.storages import RDBStorage
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from mrtune.study.patience import asked

NAMESPACE = 7_677_538  # keeps our advisory locks apart from those of others in the database
LONGEST = 120  # seconds after which a server takes a lock from a process that is held up

_LOCK = text(
    "SELECT pg_advisory_lock(:space, :number), set_config('idle_session_timeout', :longest, false)"
)
_UNLOCK = text(
    "SELECT pg_advisory_unlock(:space, :number), set_config('idle_session_timeout', '0', false)"
)


@contextmanager
def study_lock(storage: RDBStorage, study_id: int) -> Iterator[None]:
    """Hold the lock of a study."""
    with database_lock(storage.engine, study_id):
        yield


@contextmanager
def database_lock(engine: Engine, number: int = 0) -> Iterator[None]:
    """Hold a lock: a file beside an SQLite file, an advisory lock in PostgreSQL."""
    if engine.dialect.name == "sqlite":
        with FileLock(f"{engine.url.database}.lock"):
            yield
        return
    key = {"space": NAMESPACE, "number": number, "longest": f"{LONGEST}s"}
    with asked(partial(_locked, engine, key)) as connection:
        try:
            yield
        finally:
            with suppress(DBAPIError):  # the lock goes with its connection
                connection.execute(_UNLOCK, key)


def _locked(engine: Engine, key: dict[str, Any]) -> Connection:
    """Connect to a server, and wait there for a lock."""
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    try:
        connection.execute(_LOCK, key)
    except BaseException:
        connection.close()
        raise
    return connection
