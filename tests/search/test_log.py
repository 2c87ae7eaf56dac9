"""A log in a folder grows at once; in a store with each checkpoint, and it is whole at the end."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mrtune.places import place_of
from mrtune.search.attempt import Attempt
from mrtune.search.job import Job
from tests.places.object_store import ObjectStore

TALKING = Path(__file__).with_name("talking.py")
Begin = Callable[..., Attempt]


@pytest.fixture(params=["folder", pytest.param("store", marks=pytest.mark.slow)])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path)
    store: ObjectStore = request.getfixturevalue("object_store")
    return store.uri(tmp_path.name)


@pytest.fixture
def begin(runs: str) -> Iterator[Begin]:
    """Begin attempts at one trial, one after the other, whose trainer may be set."""
    attempts: list[Attempt] = []

    def begin(timeout: float | None = None, **setting: int) -> Attempt:
        slot = place_of(runs).within("00000").name
        setting = {"epochs": 2, "x": 1, "fails_in": 0} | setting
        attempts.append(
            Attempt(Job(0, str(TALKING), setting, 0, slot, runs, "drain", 1, timeout), "cpu")
        )
        return attempts[-1]

    yield begin
    for attempt in attempts:
        attempt.close()


def logged(runs: str) -> list[str]:
    text = (place_of(runs).within("00000").read("log.txt") or b"").decode()
    return [line for line in text.splitlines() if line.startswith("slice")]


def slices(last: int) -> list[str]:
    return [f"slice {n}" for n in range(1, last + 1)]


def test_a_store_has_the_log_of_a_trial_with_its_checkpoints(begin: Begin, runs: str) -> None:
    attempt = begin()
    seen = []
    for _ in range(5):
        attempt.advance()
        seen.append(len(logged(runs)))
    assert seen == ([0, 0, 3, 3, 3] if "://" in runs else [1, 2, 3, 4, 5])


def test_the_log_of_a_trial_that_finished_is_whole(begin: Begin, runs: str) -> None:
    attempt = begin()
    while attempt.advance().finished is None:
        pass
    assert logged(runs) == slices(6)


def test_the_log_of_a_trial_that_failed_is_whole(begin: Begin, runs: str) -> None:
    attempt = begin(fails_in=5)
    while attempt.advance().failure is None:
        pass
    assert logged(runs) == slices(5)


def test_the_log_of_a_trial_that_is_stopped_is_whole(begin: Begin, runs: str) -> None:
    attempt = begin()
    for _ in range(5):
        attempt.advance()
    attempt.close()
    assert logged(runs) == slices(5)


def test_the_log_of_a_trial_that_waits_is_whole_and_goes_on(begin: Begin, runs: str) -> None:
    attempt = begin()
    attempt.advance()
    place_of(runs).write("drain")
    attempt._looked = -1e9
    assert attempt.advance().drained
    assert logged(runs) == slices(2)
    place_of(runs).remove("drain")
    again = begin()
    while again.advance().finished is None:
        pass
    assert logged(runs) == slices(6)


@pytest.mark.parametrize("runs", ["folder"], indirect=True)
def test_a_disk_that_fails_is_no_failure_of_the_training(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stale(_: int) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    monkeypatch.setattr("os.fsync", stale)
    attempt = begin()
    outcomes = [attempt.advance() for _ in range(3)]
    assert [outcome.failure for outcome in outcomes] == [None] * 3
    assert outcomes[-1].stuck == f"{tmp_path}/00000/checkpoints fails: Stale file handle"


@pytest.mark.parametrize("runs", ["folder"], indirect=True)
@pytest.mark.parametrize("timeout", [None, 60.0])
def test_a_folder_that_is_none_is_no_failure_of_the_training(
    begin: Begin, tmp_path: Path, timeout: float | None
) -> None:
    (tmp_path / "00000").touch()
    outcome = begin(timeout).advance()
    assert outcome.failure is None
    assert outcome.stuck is not None
    assert outcome.stuck.startswith(f"{tmp_path}/00000 fails: ")
