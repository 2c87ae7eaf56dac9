import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import optuna
import pytest
from optuna.trial import TrialState
from sqlalchemy import text

from mrtune.errors import StorageFailed, UsageError
from mrtune.study import close_storage, open_storage, shown_url, study_names
from mrtune.study.lock import study_lock
from mrtune.study.storage import told_apart
from tests.search.bench import Bench, die, work

pytestmark = pytest.mark.slow

COUNT = """
import sys, time
from mrtune.study import open_storage
from mrtune.study.lock import study_lock
storage = open_storage(sys.argv[1])
for _ in range(20):
    with study_lock(storage, 1):
        value = int(open(sys.argv[2]).read())
        time.sleep(0.002)
        open(sys.argv[2], "w").write(str(value + 1))
"""


def test_a_lock_lets_one_process_in_at_a_time(url: str, tmp_path: Path) -> None:
    close_storage(open_storage(url))
    counter = tmp_path / "counter"
    counter.write_text("0")
    command = [sys.executable, "-c", COUNT, url, str(counter)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0]
    assert counter.read_text() == "60"


def test_many_open_a_new_storage_at_once(url: str) -> None:
    readers = 6
    together = Barrier(readers)

    def open_it(_: int) -> list[str]:
        together.wait(timeout=60)
        storage = open_storage(url)
        try:
            return study_names(storage)
        finally:
            close_storage(storage)

    with ThreadPoolExecutor(readers) as pool:
        assert list(pool.map(open_it, range(readers))) == [[]] * readers


def test_a_lock_goes_with_the_process_that_held_it(url: str) -> None:
    code = (
        "import sys, time\n"
        "from mrtune.study import open_storage\n"
        "from mrtune.study.lock import study_lock\n"
        "with study_lock(open_storage(sys.argv[1]), 1):\n"
        "    print('held', flush=True)\n"
        "    time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    holder.wait()
    holder.stdout.close()
    started = time.monotonic()
    storage = open_storage(url)
    with study_lock(storage, 1):
        assert time.monotonic() - started < 30
    close_storage(storage)


START = """
import sys, time
from mrtune.study import lock, open_storage, storage
from mrtune.study.statements import hold

lock.LONGEST = 1
storage.GUARDS["idle_in_transaction_session_timeout"] = "1s"
opened = open_storage(sys.argv[1])

def stand_still():
    print("held", flush=True)
    time.sleep(600)
"""
IN_LOCK = f"""
{START}
with lock.study_lock(opened, 1):
    stand_still()
"""
IN_TRANSACTION = f"""
{START}
with opened.engine.begin() as connection:
    hold(connection, [1])
    stand_still()
"""


@contextmanager
def stopped(script: str, url: str) -> Iterator[None]:
    """For the length of the block, a process stands still that holds something."""
    command = [sys.executable, "-c", script, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            holder.kill()


@pytest.mark.slow
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_server_takes_the_lock_from_a_process_that_stands_still(url: str) -> None:
    storage = open_storage(url)
    with stopped(IN_LOCK, url):
        started = time.monotonic()
        with study_lock(storage, 1):
            assert time.monotonic() - started < 30
    close_storage(storage)


@pytest.mark.slow
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_server_ends_the_transaction_of_a_process_that_stands_still(url: str) -> None:
    storage = open_storage(url)
    optuna.create_study(storage=storage, study_name="s").enqueue_trial({})
    with stopped(IN_TRANSACTION, url):
        started = time.monotonic()
        assert storage.set_trial_state_values(1, TrialState.RUNNING)
        assert time.monotonic() - started < 30
    close_storage(storage)


def test_tables_that_another_optuna_has_made_are_refused(url: str) -> None:
    storage = open_storage(url)
    with storage.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'v99'"))
    close_storage(storage)
    with pytest.raises(UsageError, match=r"cannot open .*: The runtime optuna version"):
        open_storage(url)


def test_a_server_that_is_too_old_is_refused(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mrtune.study.storage.OLDEST", 1000)
    with pytest.raises(UsageError, match=r"must be PostgreSQL 1000 or newer, got \d+"):
        open_storage(postgresql)


def test_a_search_is_the_same_on_every_storage(url: str, tmp_path: Path) -> None:
    """Killed on the way, continued, and read back by plain Optuna."""
    bench = Bench(tmp_path, url=url)
    bench.begin(trials=5)
    sweep = bench.sweep()
    work(sweep, slices=15)
    die(sweep)
    work(bench.sweep())
    record = bench.read()
    assert len(record.trials) == 5
    assert all(trial.finished for trial in record.trials)
    storage = open_storage(url)
    plain = optuna.load_study(study_name="study", storage=storage)
    assert [t.state.name.lower() for t in plain.trials] == [t.state for t in record.trials]
    assert study_names(storage) == ["study"]
    close_storage(storage)


def test_readers_do_not_stop_a_writer(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.begin(trials=2)
    reader = sqlite3.connect(tmp_path / "mrtune.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM trials").fetchone()
    work(bench.sweep())
    assert all(trial.finished for trial in bench.read().trials)
    reader.close()


def test_a_password_is_never_shown(postgresql: str) -> None:
    assert shown_url("postgresql://me:secret@host/db") == "postgresql://me:***@host/db"
    wrong = "postgresql://me:s3cret@127.0.0.1:1/db"
    with pytest.raises(UsageError, match=r"cannot open postgresql://me:\*\*\*@127") as error:
        open_storage(wrong)
    assert "s3cret" not in str(error.value)
    with pytest.raises(UsageError, match="%40 for each @ in a password") as error:
        shown_url("postgresql://me:pa@ss@host/db")
    assert "ss" not in str(error.value).replace("password", "")
    assert postgresql


def test_a_server_that_goes_away_is_a_clear_error(url: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path, url=url)
    bench.begin(trials=3)
    sweep = bench.sweep()
    work(sweep, slices=2)
    if url.startswith("sqlite"):
        os.rename(tmp_path / "mrtune.db", tmp_path / "away.db")
        (tmp_path / "mrtune.db").mkdir()
        sweep._mirror.backend.engine.dispose()
    else:
        with sweep._mirror.backend.engine.connect() as connection:
            connection.execute(text("DROP TABLE trial_user_attributes CASCADE"))
            connection.commit()
    with pytest.raises(StorageFailed, match="what study has is safe"), told_apart("study"):
        work(sweep)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("sqlite:///:memory:", "must be a file that outlives this command"),
        ("mysql://h/d", "must be SQLite or PostgreSQL"),
        ("a://b://c", "must be"),
        ("no/folder/x.db", "there is no folder"),
    ],
)
def test_addresses_that_cannot_be_opened(address: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_storage(address)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("not a database, but long enough to look at " * 20)
    with pytest.raises(UsageError, match="file is not a database"):
        open_storage(str(tmp_path / "x.db"))
