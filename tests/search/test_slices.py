"""How long a trial works before it looks up."""

from pathlib import Path

import pytest

from mrtune.search.attempt import Attempt
from mrtune.search.job import SLICE, Job
from mrtune.search.room import Room
from mrtune.search.studies import reopen
from mrtune.search.sweep import Sweep
from mrtune.study import open_storage
from tests.search.bench import OPENED, Bench

TALKING = Path(__file__).with_name("talking.py")


def test_a_thousand_trials_look_up_fifty_times_a_second() -> None:
    slices = {n: Room(1, 0, None, n).slice for n in (1, 100, 1000)}
    assert slices == {1: SLICE, 100: SLICE, 1000: 20.0}


def test_jobs_say_how_long(bench: Bench) -> None:
    bench.begin()
    storage = open_storage(bench.address)
    OPENED.append(storage)
    sweep = Sweep(reopen(storage, bench.name), 1, bench.events.append, 20.0)
    job = sweep.next_job()
    assert job is not None
    assert Job(**job.to_dict()).slice == 20.0


def test_a_trainer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = {"epochs": 1, "x": 1, "fails_in": 0}
    slot, flags = str(tmp_path / "00000"), str(tmp_path)
    job = Job(0, str(TALKING), setting, 0, slot, flags, "drain", 1, None, slice=7.0)
    attempt = Attempt(job, "cpu")
    attempt.advance()
    told: list[float] = []
    monkeypatch.setattr(type(attempt._trainer), "advance", lambda _, s: told.append(s))
    attempt.advance()
    attempt.close()
    assert told == [7.0]
