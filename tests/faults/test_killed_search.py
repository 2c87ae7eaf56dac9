"""A search that is interrupted or killed goes on: nothing repeated, nothing lost. Real Ray."""

import signal
from pathlib import Path

import pytest

from tests.faults.searching import (
    TRIALS,
    command,
    finished,
    in_the_middle,
    read,
    search,
    tell,
    wait,
)

pytestmark = pytest.mark.slow


def test_interrupted_then_killed_a_search_still_ends_with_every_trial(tmp_path: Path) -> None:
    process = search(tmp_path)
    before = wait(tmp_path, lambda record: in_the_middle(record, 1))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "mrtune resume s continues it" in out
    interrupted = read(tmp_path)
    assert interrupted.state == "interrupted"
    assert interrupted.counts["running"] == 0
    assert interrupted.counts["waiting"] >= 1
    assert finished(before).items() <= finished(interrupted).items()

    process = command(tmp_path, "resume", "s")
    done = len(finished(interrupted)) + 1
    before = wait(tmp_path, lambda record: in_the_middle(record, done))
    running = {t.number: int(t.epoch) for t in before.trials if t.state == "running"}
    process.kill()
    process.communicate(timeout=60)

    process = command(tmp_path, "resume", "s")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "of a process that is gone are continued" in out
    after = read(tmp_path)
    assert after.state == "finished"
    assert len(after.trials) == TRIALS
    assert finished(before).items() <= finished(after).items()  # unchanged to the letter
    for number, steps in running.items():
        trial = after.trials[number]
        assert trial.finished
        assert list(trial.curves["epoch"])[:steps] == [float(n + 1) for n in range(steps)]
    for trial in after.trials:  # every report once and in order, over all three processes
        assert list(trial.curves["epoch"]) == [float(n) for n in range(1, 12)]


def test_two_searches_join_one_study_and_obey_the_user(tmp_path: Path) -> None:
    """On SQLite; pause, resume, and stopping one trial act on both within seconds."""
    first = search(tmp_path, pause=1)
    wait(tmp_path, lambda record: record.alive)
    second = command(tmp_path, "resume", "s")
    wait(tmp_path, lambda record: sum(driver.alive for driver in record.drivers) == 2)
    wait(tmp_path, lambda record: record.counts["running"] >= 2)
    tell(tmp_path, "pause", "s")
    paused = wait(tmp_path, lambda record: record.counts["running"] == 0)
    assert paused.state == "paused"
    tell(tmp_path, "resume", "s")
    running = wait(tmp_path, lambda record: in_the_middle(record, 0))
    number = next(t.number for t in running.trials if t.state == "running" and t.epoch >= 3)
    tell(tmp_path, "stop", f"s/{number}")
    for process in (first, second):
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    record = read(tmp_path)
    assert len(record.trials) == TRIALS
    assert all(trial.finished for trial in record.trials)
    assert record.trials[number].state in {"pruned", "complete"}
    placed = [t for t in record.trials if t.place]  # stopped before its worker began, one is not
    assert len({t.place["pid"] for t in placed}) >= 2


def test_cancelling_ends_a_search_at_once(tmp_path: Path) -> None:
    process = search(tmp_path, pause=1)
    wait(tmp_path, lambda record: in_the_middle(record, 0))
    tell(tmp_path, "cancel", "s")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "cancelled by the user" in err
    assert read(tmp_path).state == "stopped"
