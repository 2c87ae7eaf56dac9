"""Searches in processes of their own, and what they have written so far."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.study import (
    StudyRecord,
    close_storage,
    load_study,
    open_storage,
    read_study,
    study_names,
)

QUADRATIC = Path(__file__).parent.parent / "search" / "quadratic.py"
TRIALS = 6


def command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mrtune", *arguments],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def tell(folder: Path, *arguments: str) -> None:
    """Run a command that must succeed."""
    process = command(folder, *arguments)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err


def search(folder: Path, *more: str, pause: float = 0.5) -> subprocess.Popen[str]:
    """Six trainings of eleven epochs, each of which takes so many seconds of sleep."""
    options = ("--study", "s", "--trials", str(TRIALS), "-S", f"fixed.pause={pause}")
    return command(folder, "search", str(QUADRATIC), *options, "--pruner", "none", *more)


def read(folder: Path) -> StudyRecord:
    storage = open_storage(str(folder / "mrtune.db"))
    try:
        return read_study(load_study(storage, "s"))
    finally:
        close_storage(storage)


def wait(folder: Path, condition: Callable[[StudyRecord], bool]) -> StudyRecord:
    deadline = time.monotonic() + 240
    storage = open_storage(str(folder / "mrtune.db"))
    try:
        while time.monotonic() < deadline:
            time.sleep(0.1)
            if "s" in study_names(storage):
                record = read_study(load_study(storage, "s"))
                if record.settings and condition(record):
                    return record
    finally:
        close_storage(storage)
    pytest.fail("it never came to that")


def finished(record: StudyRecord) -> dict[int, object]:
    return {t.number: t for t in record.trials if t.finished}


def in_the_middle(record: StudyRecord, done: int) -> bool:
    """Some trials are finished and one has reported half of its epochs."""
    half = [t for t in record.trials if t.state == "running" and 3 <= t.epoch <= 9]
    return len(finished(record)) >= done and bool(half)
