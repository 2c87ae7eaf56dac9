"""Storage that is busy is waited for; storage that is full is a clear error that loses nothing."""

import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mrtune.errors import StorageFailed
from mrtune.study.storage import told_apart
from tests.search.bench import Bench, die, work

pytestmark = pytest.mark.slow


def test_a_storage_that_others_hold_is_waited_for(tmp_path: Path) -> None:
    """Another process has it for itself for seconds, again and again."""
    bench = Bench(tmp_path)
    bench.begin(trials=4)
    over = threading.Event()
    held: list[float] = []

    def hold() -> None:
        connection = sqlite3.connect(tmp_path / "mrtune.db", timeout=60, isolation_level=None)
        while not over.is_set():
            connection.execute("BEGIN EXCLUSIVE")
            time.sleep(0.7)
            connection.execute("COMMIT")
            held.append(0.7)
            time.sleep(0.05)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        work(bench.sweep())
    finally:
        over.set()
        holder.join()
    assert len(held) >= 2
    assert all(trial.finished for trial in bench.read().trials)
    assert len(bench.read().trials) == 4


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "mrtune-test", str(disk)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(path: Path) -> None:
    """Leave no room on a disk."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1024))


@pytest.mark.parametrize("what", ["study", "checkpoints"])
def test_a_full_disk_is_a_clear_error_and_loses_nothing(small_disk: Path, what: str) -> None:
    bench = Bench(small_disk)
    if what == "checkpoints":
        bench.url = f"sqlite:///{small_disk.parent / 'mrtune.db'}"
    bench.begin(trials=5)
    sweep = bench.sweep()
    work(sweep, slices=14)
    before = bench.read()
    assert before.counts["complete"] == 1
    rubbish = small_disk / "somebody else's"
    fill(rubbish)
    clear = pytest.raises(StorageFailed, match=r"full.*`mrtune resume study` goes on")
    with clear, told_apart("study"):
        work(sweep)
    rubbish.unlink()
    die(sweep)
    work(bench.sweep())
    after = bench.read()
    assert len(after.trials) == 5
    assert all(trial.finished for trial in after.trials)
    assert after.counts["fail"] == 0
    assert after.trials[0] == before.trials[0]
