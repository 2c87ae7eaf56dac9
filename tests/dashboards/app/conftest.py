"""A dashboard over a real storage, asked as a browser asks, without a network in between."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from dashboards.app.library import Library
from dashboards.app.security import protect
from dashboards.app.server import build
from mrtune.study import close_storage, open_storage
from tests.search.bench import Bench, work

TOKEN = "secret-token"  # noqa: S105  # of the tests


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A finished study of four configurations."""
    made = Bench(tmp_path, name="mine")
    made.begin(trials=4)
    sweep = made.sweep()
    work(sweep)
    sweep.end()
    return made


@pytest.fixture
def library(bench: Bench) -> Iterator[Library]:
    storage = open_storage(bench.address)
    yield Library(storage)
    close_storage(storage)


@pytest.fixture
def client(library: Library) -> FlaskClient:
    """A browser that has not shown its token yet."""
    app = build(library)
    protect(app.server, "127.0.0.1", 8050, TOKEN, app.csp_hashes())
    return app.server.test_client()
