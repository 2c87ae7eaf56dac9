"""A search whose checkpoints are objects: it may be killed, and so may the store. Real Ray."""

from collections import Counter
from pathlib import Path

import pytest

from mrtune.places import place_of
from mrtune.study import StudyRecord
from tests.faults.searching import (
    command,
    finished,
    in_the_middle,
    read,
    search,
    wait,
)
from tests.places.object_store import ObjectStore

pytestmark = pytest.mark.slow
TRIALS = 3
FEW = ("--trials", str(TRIALS), "--concurrency", "2")


def assert_goes_on(folder: Path, before: StudyRecord) -> None:
    """Resume; nothing finished is repeated, and no epoch of what was under way is trained twice."""
    process = command(folder, "resume", "s")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    after = read(folder)
    assert after.state == "finished"
    assert len(after.trials) == TRIALS
    assert finished(before).items() <= finished(after).items()
    for trial in after.trials:
        assert list(trial.curves["epoch"]) == [float(n) for n in range(1, 12)]
        log = (place_of(trial.slot or "").read("log.txt") or b"").decode()
        times = Counter(line.split("  ")[0] for line in log.splitlines())
        assert set(times.values()) == {1}
        assert "epoch 11" in times


def test_a_search_that_is_killed_goes_on_from_its_objects(
    tmp_path: Path, object_store: ObjectStore
) -> None:
    process = search(tmp_path, "--runs", object_store.uri("killed"), *FEW, pause=0.3)
    wait(tmp_path, lambda record: in_the_middle(record, 1))
    process.kill()
    process.communicate(timeout=60)
    before = read(tmp_path)
    assert len(finished(before)) < TRIALS
    assert_goes_on(tmp_path, before)
    assert not list(tmp_path.glob("mrtune_runs*"))
    best = read(tmp_path).best
    assert best is not None
    kept = {key.split("/")[2] for key in object_store.keys("killed/s-") if "/checkpoints/" in key}
    assert kept == {f"{best.number:05d}"}


def test_a_store_that_goes_away_ends_a_search_which_goes_on_when_it_is_back(
    tmp_path: Path, object_store: ObjectStore
) -> None:
    """It turns everybody away; its objects are there again afterwards."""
    runs = object_store.uri("away")
    process = search(tmp_path, "--runs", runs, *FEW, pause=0.3)
    wait(tmp_path, lambda record: in_the_middle(record, 1))
    object_store.shut()
    try:
        _, err = process.communicate(timeout=120)
    finally:
        object_store.open()
    assert process.returncode == 1, err
    (line,) = [line for line in err.splitlines() if not line.startswith("warning: ")]
    assert line.startswith(f"mrtune: {runs.partition('?')[0]}/")
    assert "fails: " in line
    assert "NETWORK_CONNECTION" in line
    assert line.endswith("what s has is safe, `mrtune resume s` goes on once that is mended")
    before = read(tmp_path)
    assert before.counts["fail"] == 0
    assert len(finished(before)) < TRIALS
    assert_goes_on(tmp_path, before)


def test_an_interrupted_search_has_its_trials_saved(
    tmp_path: Path, object_store: ObjectStore
) -> None:
    """The flag that asks for it is an object, which is looked for every few seconds."""
    process = search(tmp_path, "--runs", object_store.uri("interrupted"), *FEW, pause=1.5)
    wait(tmp_path, lambda record: in_the_middle(record, 1))
    process.terminate()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "mrtune resume s continues it" in out
    keys = object_store.keys("interrupted/s-")
    assert not [key for key in keys if "drain-" in key]
    waiting = [trial for trial in read(tmp_path).trials if trial.state == "waiting" and trial.epoch]
    assert waiting
    for trial in waiting:
        assert [key for key in keys if f"/{trial.number:05d}/checkpoints/" in key]
