"""A server that cuts its connections, at any moment, while a study is searched."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from optuna.exceptions import StorageInternalError
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import IntegrityError, OperationalError

from mrtune.study.patience import TRIES, asked
from mrtune.study.storage import parse_url
from tests.search.bench import Bench, work

CUT = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = :name"
CUT += " AND pid <> pg_backend_pid()"


@contextmanager
def cut_connections(url: str, engine: Engine) -> Iterator[list[int]]:
    """Cut all connections to a database before some statement, again and again; count them."""
    address = parse_url(url)
    knife = create_engine(address.set(database="postgres"), isolation_level="AUTOCOMMIT")
    cut, moments = list[int](), random.Random(0)
    left = moments.randint(15, 60)

    def count_down(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            left = moments.randint(15, 60)
            with knife.connect() as connection:
                found = connection.execute(text(CUT), {"name": address.database})
                cut.append(found.scalar_one())

    event.listen(engine, "before_cursor_execute", count_down)
    try:
        yield cut
    finally:
        event.remove(engine, "before_cursor_execute", count_down)
        knife.dispose()


@pytest.mark.slow
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_search_outlives_cut_connections(url: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path, url=url)
    bench.begin(trials=15, seeds=2, pruner="none")
    sweep = bench.sweep()
    with cut_connections(url, sweep._mirror.backend.engine) as cut:
        work(sweep)
        sweep.end()
    assert sum(cut) > 5
    record = bench.read()
    trained = sorted((trial.config, trial.seed) for trial in record.trials)
    assert trained == sorted({(config, seed) for config, _ in trained for seed in (0, 1)})
    assert len(record.configurations) == 15
    for trial in record.trials:
        assert trial.state == "complete"
        assert trial.curves["epoch"] == [float(n) for n in range(1, 12)]


def test_what_is_no_trouble_with_the_connection_is_not_asked_again() -> None:
    for error, tries in (
        (IntegrityError("INSERT", {}, Exception("twice")), 1),
        (OperationalError("SELECT", {}, sqlite3.OperationalError("database is locked")), 1),
        (OperationalError("SELECT", {}, Exception("gone")), TRIES),
    ):
        for raised in (error, _wrapped(error)):
            questions = []

            def ask(raised: Exception = raised, asked_: list[None] = questions) -> None:
                asked_.append(None)
                raise raised

            with pytest.raises(type(raised)):
                asked(ask)
            assert len(questions) == tries


def _wrapped(cause: Exception) -> StorageInternalError:
    error = StorageInternalError("as Optuna tells it")
    error.__cause__ = cause
    return error
