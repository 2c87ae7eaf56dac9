"""The database that remembers studies."""

import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import optuna
import sqlalchemy
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from mrtune.errors import StorageFailed, UsageError
from mrtune.study.lock import database_lock
from mrtune.study.patience import PatientStorage

Storage = RDBStorage
PATIENCE = 60  # seconds that a writer waits for another one
SECRETS = ("password", "sslpassword")  # that a URL may have in its query
POSTGRESQL = "postgresql+psycopg"
OLDEST = 14  # PostgreSQL that can take a lock from a process that does nothing
GUARDS = {
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "15",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
LAST_TABLE = "alembic_version"  # that Optuna makes

optuna.logging.set_verbosity(optuna.logging.ERROR)


def open_storage(url: str, create: bool = True) -> RDBStorage:
    """Open a database by its URL, or an SQLite file by its path."""
    address = parse_url(url)
    if address.get_backend_name() == "sqlite":
        return _open_sqlite(address, create)
    with named_trouble(url):
        storage = _connect(address.render_as_string(hide_password=False), _postgresql_options())
        sqlalchemy.event.listen(storage.engine, "do_connect", _wait_for_restart)
        sqlalchemy.event.listen(storage.engine, "connect", _guard)
        storage.engine.dispose()
        return storage


def parse_url(url: str) -> sqlalchemy.URL:
    """Read a URL; a plain path names an SQLite file."""
    if "://" not in url:
        url = f"sqlite:///{url}"
    try:
        address = sqlalchemy.make_url(url)
    except (ArgumentError, ValueError):
        raise UsageError("--storage must be a database URL or a path; this is neither") from None
    if "@" in (address.host or ""):  # the rest of a password, which would be shown
        raise UsageError("--storage must have %40 for each @ in a password")
    if address.drivername in {"postgresql", "postgres"}:
        address = address.set(drivername=POSTGRESQL)
    if address.get_backend_name() not in {"sqlite", "postgresql"}:
        raise UsageError(
            f"--storage must be SQLite or PostgreSQL, got {address.get_backend_name()!r}"
        )
    return address


def shown_url(url: str) -> str:
    """Return a URL as it may be printed: without its password."""
    address = parse_url(url).difference_update_query(SECRETS)
    name = address.get_backend_name()
    return address.set(drivername=name).render_as_string(hide_password=True)


def without_password(url: str) -> str:
    """Return a URL that finds the same database once the password comes from elsewhere."""
    bare = parse_url(url).difference_update_query(SECRETS)
    return bare._replace(password=None).render_as_string()  # set() would keep it


def has_password(url: str) -> bool:
    """Whether a URL says its password."""
    address = parse_url(url)
    return bool(address.password) or any(name in address.query for name in SECRETS)


def close_storage(storage: RDBStorage) -> None:
    """Close all connections."""
    storage.remove_session()
    storage.engine.dispose()


def remove_study(storage: Storage, name: str) -> None:
    """Forget a study and its trials."""
    optuna.delete_study(study_name=name, storage=storage)


@contextmanager
def named_trouble(url: str) -> Iterator[None]:
    """Turn what a database can answer into one line, without the password."""
    try:
        yield
    except (ImportError, NoSuchModuleError):
        raise UsageError(
            f"{shown_url(url)} needs a driver: pip install 'mrtune[postgresql]'"
        ) from None
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        password = parse_url(url).password
        if password:
            cause = cause.replace(str(password), "***")
        raise UsageError(f"cannot open {shown_url(url)}: {cause}") from None
    except RuntimeError as error:  # of Optuna, about tables that another version has made
        raise UsageError(f"cannot open {shown_url(url)}: {error}") from None


@contextmanager
def told_apart(name: str) -> Iterator[None]:
    """Tell trouble with the storage of a study from bugs, in one line."""
    try:
        yield
    except (SQLAlchemyError, StorageInternalError) as error:
        raise StorageFailed(
            f"the storage fails: {_cause(error)}; what {name} has is safe, "
            f"`mrtune resume {name}` goes on"
        ) from error


@contextmanager
def reading() -> Iterator[None]:
    """Tell trouble with a storage, where no search runs on it, from bugs, in one line."""
    try:
        yield
    except (SQLAlchemyError, StorageInternalError) as error:
        raise StorageFailed(f"the storage fails: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error, StorageInternalError) else error
    return str(getattr(cause, "orig", None) or cause or error).strip().splitlines()[0]


def check_writable(url: str) -> None:
    """Write a throw-away study, read it back and remove it; raise whatever goes wrong."""
    storage = open_storage(url)
    name = f"mrtune-doctor-{secrets.token_hex(8)}"
    try:
        study = optuna.create_study(storage=storage, study_name=name)
        try:
            study.add_trial(optuna.trial.create_trial(value=1.0))
            if study.best_value != 1.0:
                raise OSError("the study read back is not the one written")
        finally:
            optuna.delete_study(study_name=name, storage=storage)
    finally:
        close_storage(storage)


def _open_sqlite(address: sqlalchemy.URL, create: bool) -> RDBStorage:
    if not address.database or address.database == ":memory:":
        raise UsageError("--storage must be a file that outlives this command, got :memory:")
    path = Path(address.database).absolute()
    if not path.exists() and not create:
        raise UsageError(f"there is no storage at {address.database}: no search has written to it")
    if not path.parent.is_dir():
        raise UsageError(f"cannot open {address.database}: there is no folder {path.parent}")
    try:
        _share(path)
    except sqlite3.Error as error:
        raise UsageError(f"cannot open {address.database}: {error}") from None
    url = address.set(database=str(path)).render_as_string()
    with named_trouble(url):
        storage = _connect(url, {"connect_args": {"timeout": PATIENCE}})
        # Of what SQLite offers, what loses nothing when a process dies, and waits for no disk.
        sqlalchemy.event.listen(storage.engine, "connect", _relax)
        storage.engine.dispose()
        return storage


def _connect(url: str, options: dict[str, Any]) -> RDBStorage:
    """Open a database whose tables another process may be making at this moment."""
    engine = sqlalchemy.create_engine(url, **options)
    try:
        inspector = sqlalchemy.inspect(engine)
        _check_version(engine)
        made = inspector.has_table(LAST_TABLE)
        with nullcontext() if made else database_lock(engine):
            storage = PatientStorage(url, options, skip_compatibility_check=True)
    finally:
        engine.dispose()
    try:
        storage._version_manager.check_table_schema_compatibility()
    except RuntimeError:
        close_storage(storage)
        raise
    return storage


def _share(path: Path) -> None:
    """Let readers and a writer work at the same time."""
    connection = sqlite3.connect(path, timeout=PATIENCE)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()


def _relax(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA synchronous=NORMAL")


def _wait_for_restart(
    dialect: sqlalchemy.Dialect, _: Any, arguments: list[Any], options: dict[str, Any]
) -> Any:
    """Connect, again and again while a server that was there is away."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return dialect.connect(*arguments, **options)
        except dialect.loaded_dbapi.OperationalError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.5)


def _check_version(engine: sqlalchemy.Engine) -> None:
    version = engine.dialect.server_version_info or (0,)
    if engine.dialect.name == "postgresql" and int(version[0]) < OLDEST:
        rule = f"must be PostgreSQL {OLDEST} or newer"
        raise UsageError(f"--storage {rule}, got {'.'.join(map(str, version))}")


def _guard(connection: Any, _: Any) -> None:
    """Have the server let go of what a process holds that is stopped or cut off."""
    names = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in GUARDS.items())
    connection.execute(f"SELECT {names}")
    connection.commit()


def _postgresql_options() -> dict[str, Any]:
    return {"pool_pre_ping": True, "pool_size": 5, "connect_args": {"connect_timeout": 10}}
