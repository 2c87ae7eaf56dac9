"""What becomes of trials, with real attempts and a real storage, but without Ray."""

import math
import warnings
from pathlib import Path

import optuna
import pytest
from sqlalchemy import text

from mrtune.errors import UsageError
from mrtune.places import place_of
from mrtune.search.attempt import Attempt
from mrtune.search.outcome import Failure, Outcome
from mrtune.search.slot import Slot
from mrtune.study import StudyRecord, close_storage, keys, open_storage
from mrtune.study.control import ask, stop_trial
from tests.search.bench import Bench, die, work


def comparable(record: StudyRecord) -> list[tuple[object, ...]]:
    """What must not depend on crashes: states, proposals, results, curves."""
    return [
        (t.number, t.state, dict(t.params), t.values, t.seed, dict(t.curves), t.rungs)
        for t in record.trials
    ]


def test_every_report_is_an_intermediate_value_and_states_are_right(bench: Bench) -> None:
    bench.begin(trials=12)
    work(bench.sweep())
    record = bench.read()
    assert len(record.trials) == 12
    assert record.counts["complete"] + record.counts["pruned"] == 12
    assert record.counts["pruned"] > 0
    # Read back by plain Optuna, as optuna-dashboard would.
    study = optuna.load_study(study_name="study", storage=bench.address)
    assert study.metric_names == ["score"]
    for trial, plain in zip(record.trials, study.trials, strict=True):
        assert plain.state.name.lower() == trial.state
        assert list(plain.intermediate_values.values()) == trial.curves["score"]
        assert plain.value == trial.curves["score"][-1]
        assert plain.last_step == (11 if trial.state == "complete" else len(trial.curves["epoch"]))
        assert plain.params == trial.params


def test_a_trial_keeps_where_it_comes_from(bench: Bench) -> None:
    bench.begin(trials=1)
    work(bench.sweep())
    (trial,) = bench.read().trials
    assert trial.provenance["git"] == "abc"
    assert set(trial.place) == {"host", "device", "pid"}
    assert trial.setting["x"] == trial.params["x"]
    assert trial.metrics["val/score"] == pytest.approx(1 - (trial.params["x"] - 0.3) ** 2)
    assert trial.seconds > 0
    assert "score" in (Path(trial.slot or "") / "log.txt").read_text()


def test_what_another_study_of_the_name_has_left_is_not_continued(tmp_path: Path) -> None:
    """As when a database was removed, and the folder of checkpoints was not."""
    for folder, seed in (("one", 1), ("other", 2)):
        (tmp_path / folder).mkdir()
        bench = Bench(tmp_path / folder, runs=str(tmp_path / "runs"))
        bench.begin(trials=4, seed=seed, pruner="none")
        work(bench.sweep())
        for trial in bench.read().trials:
            x = trial.params["x"]
            assert trial.metrics["val/score"] == pytest.approx(1 - (x - 0.3) ** 2)
            assert trial.curves["score"][0] == pytest.approx(
                (1 - (x - 0.3) ** 2) / 2 + 1e-3 * trial.seed
            )


def test_a_study_from_before_studies_had_folders_goes_on(bench: Bench) -> None:
    bench.begin(trials=1)
    storage = open_storage(bench.address)
    with storage.engine.begin() as connection:
        connection.execute(text("DELETE FROM study_user_attributes WHERE key = 'folder'"))
    close_storage(storage)
    work(bench.sweep())
    (trial,) = bench.read().trials
    assert trial.slot == str(bench.folder / "runs" / "study" / "00000")


def test_the_default_comes_first_and_is_never_pruned(bench: Bench) -> None:
    bench.begin(trials=8)
    work(bench.sweep())
    record = bench.read()
    assert record.default is not None
    assert record.default.trials[0].params == {"x": 0.5}
    assert [t.default for t in record.trials] == [True] + [False] * 7
    assert record.trials[0].state == "complete"
    assert record.trials[0].rungs == ()


@pytest.mark.slow
def test_a_search_goes_on_after_its_process_was_killed(tmp_path: Path) -> None:
    """Killed after any number of slices, it ends as if nothing had happened."""
    whole = Bench(tmp_path / "whole")
    whole.folder.mkdir()
    whole.begin(trials=7)
    work(whole.sweep())
    expected = comparable(whole.read())
    for slices in (1, 5, 12, 30):
        bench = Bench(tmp_path / str(slices))
        bench.folder.mkdir()
        bench.begin(trials=7)
        for _ in range(3):
            sweep = bench.sweep()
            work(sweep, slices)
            die(sweep)
        work(bench.sweep())
        assert comparable(bench.read()) == expected
        assert "adopted" in bench.kinds() or slices == 30


def test_reports_that_the_dead_process_did_not_hear_of_are_not_lost(bench: Bench) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    attempt = Attempt(job, "cpu")
    sweep.take(job.number, attempt.advance())
    attempt.advance()
    attempt.advance()  # two reports with checkpoints that never reach the study
    attempt.close()
    die(sweep)
    work(bench.sweep())
    (trial,) = bench.read().trials
    assert trial.curves["epoch"] == [float(n) for n in range(1, 12)]
    assert trial.state == "complete"


def test_a_kill_between_the_two_writes_of_a_report_loses_neither(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    trial = sweep.live[job.number].trial
    write = trial.set_user_attr

    def killed(key: str, value: object) -> None:
        if key == keys.CURVES:
            raise SystemExit
        write(key, value)

    monkeypatch.setattr(trial, "set_user_attr", killed)
    attempt = Attempt(job, "cpu")
    with pytest.raises(SystemExit):
        sweep.take(job.number, attempt.advance())
    attempt.close()
    die(sweep)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The reported value is ignored")  # it is the same value
        work(bench.sweep())
    (plain,) = optuna.load_study(study_name="study", storage=bench.address).trials
    (kept,) = bench.read().trials
    assert list(plain.intermediate_values.values()) == kept.curves["score"]


def test_the_trials_of_a_living_process_are_left_alone(bench: Bench) -> None:
    bench.begin(trials=3)
    first, second = bench.sweep(), bench.sweep()
    job = first.next_job()
    assert job is not None
    work(second)
    record = bench.read()
    assert record.trials[job.number].state == "running"
    assert record.counts["complete"] + record.counts["pruned"] == 2
    assert "adopted" not in bench.kinds()


def test_who_comes_back_too_late_leaves_the_trial_to_its_new_owner(bench: Bench) -> None:
    bench.begin(trials=1)
    lost, heir = bench.sweep(), bench.sweep()
    job = lost.next_job()
    assert job is not None
    lost.study.set_user_attr(keys.DRIVER + lost._heartbeat.id, None)
    assert heir.next_job() is not None
    lost._beaten = -math.inf
    lost.tick()
    assert lost.take(job.number, Outcome(finished={})) is True
    assert bench.read().trials[0].state == "running"


def test_a_trial_is_on_a_machine_only_from_its_first_word_there_on(bench: Bench) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()

    def place() -> dict[str, object]:
        sweep._mirror.flush()
        (trial,) = bench.read().trials
        return dict(trial.place)

    job = sweep.next_job()
    assert job is not None
    assert place() == {}
    sweep.take(job.number, Outcome(place={"host": "a"}))
    assert place() == {"host": "a"}
    sweep.lost_worker(job.number)
    assert place() == {}
    sweep.take(job.number, Outcome(place={"host": "b"}))
    sweep.release(job.number)
    again = sweep.next_job()
    assert again is not None
    assert place() == {}
    sweep.end()


def test_an_interrupted_search_leaves_its_trials_waiting_with_a_checkpoint(bench: Bench) -> None:
    bench.begin(trials=3)
    sweep = bench.sweep()
    work(sweep, slices=4)
    sweep.drain()
    sweep.end()
    record = bench.read()
    assert record.counts["running"] == 0
    assert record.counts["waiting"] == 1
    assert record.state == "interrupted"
    work(bench.sweep())
    assert bench.read().done
    assert bench.read().trials[0].curves["epoch"] == [float(n) for n in range(1, 12)]


def test_to_drain_touches_no_place_until_the_next_tick(bench: Bench) -> None:
    """Signal handlers and timers call it, where a request to a store could hang or raise."""
    bench.begin(trials=1)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    flags = place_of(job.flags)
    sweep.drain()
    assert not sweep.handing_out
    assert not flags.exists(job.drain)
    sweep.tick()
    assert flags.exists(job.drain)
    assert Attempt(job, "cpu").advance().drained
    ask(sweep.study, "run")
    sweep._looked = -math.inf
    sweep.tick()
    assert flags.exists(job.drain)  # who drains is not asked back by a resume
    sweep.end()
    assert not flags.exists(job.drain)


def test_two_sweeps_share_one_study_without_one_trial_too_many(bench: Bench) -> None:
    bench.begin(trials=9)
    one, other = bench.sweep(), bench.sweep()
    while not (one.over() and other.over()):
        for sweep in (one, other):
            work(sweep, slices=13)
            for number in list(sweep.live):
                sweep.release(number)
    record = bench.read()
    assert len(record.trials) == 9
    assert all(trial.finished for trial in record.trials)


def test_paused_trials_wait_and_go_on(bench: Bench) -> None:
    bench.begin(trials=2)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    ask(sweep.study, "pause")
    sweep._looked = -math.inf
    sweep.tick()
    assert not sweep.handing_out
    assert not sweep.over()
    outcome = Attempt(job, "cpu").advance()
    assert outcome.drained
    assert sweep.take(job.number, outcome) is True
    assert bench.read().state == "paused"
    assert bench.read().counts["waiting"] == 1
    ask(sweep.study, "run")
    sweep._looked = -math.inf
    sweep.tick()
    work(sweep)
    assert bench.read().counts["waiting"] == 0
    assert sweep.over()


@pytest.mark.parametrize("request_", ["stop", "cancel", "pause", "drain"])
def test_a_trial_without_a_worker_does_not_begin_once_the_search_is_to_end(
    bench: Bench, request_: str
) -> None:
    bench.begin(trials=2)
    sweep = bench.sweep()
    running, staged = sweep.next_job(), sweep.next_job()
    assert running is not None
    assert staged is not None
    assert not sweep.recall(staged.number)
    if request_ == "drain":
        sweep.drain()
    else:
        ask(sweep.study, request_)  # type: ignore[arg-type]
    sweep._looked = -math.inf
    sweep.tick()
    assert sweep.recall(staged.number)
    assert sweep.take(staged.number, Outcome([{"epoch": 1.0, "score": 0.5}])) is True
    assert list(sweep.live) == [running.number]
    states = [trial.state for trial in bench.read().trials]
    assert states == ["running", "waiting"]
    assert [e.about["begun"] for e in bench.events if e.kind == "requeued"] == [False]


def test_a_search_whose_trials_have_no_worker_is_over_when_it_is_to_end(bench: Bench) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    sweep.drain()
    assert not sweep.over()
    assert sweep.recall(job.number)
    assert sweep.over()


def test_a_trial_that_is_stopped_before_it_has_a_worker_ends_at_once(bench: Bench) -> None:
    bench.begin(trials=2)
    sweep = bench.sweep()
    stopped, other = sweep.next_job(), sweep.next_job()
    assert stopped is not None
    assert other is not None
    stop_trial(sweep.study, stopped.number)
    sweep._looked = -math.inf
    sweep.tick()
    assert sweep.recall(stopped.number)
    assert not sweep.recall(other.number)
    assert bench.read().trials[stopped.number].state == "fail"


def test_a_trial_that_is_stopped_before_it_goes_on_keeps_its_reports(bench: Bench) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()
    work(sweep, slices=4)
    sweep.release(0)
    assert sweep.next_job() is not None
    stop_trial(sweep.study, 0)
    sweep._looked = -math.inf
    sweep.tick()
    assert sweep.recall(0)
    (trial,) = bench.read().trials
    assert trial.state == "pruned"
    assert trial.curves["epoch"] == [1.0, 2.0, 3.0, 4.0]
    assert not trial.place  # it was on no machine when it ended


def test_a_stopped_trial_keeps_its_reports_and_a_cancelled_search_says_so(bench: Bench) -> None:
    bench.begin(trials=3)
    sweep = bench.sweep()
    work(sweep, slices=3)
    stop_trial(sweep.study, 0)
    sweep._looked = -math.inf
    sweep.tick()
    assert sweep.take(0, Outcome()) is True
    assert bench.read().trials[0].state == "pruned"
    assert sweep.next_job() is not None
    ask(sweep.study, "cancel")
    sweep._looked = -math.inf
    sweep.tick()
    assert sweep.take(1, Outcome()) is True
    assert sweep.over()
    trial = bench.read().trials[1]
    assert trial.state == "fail"
    assert trial.failure == {"reason": "cancelled by the user", "traceback": ""}


def test_a_metric_that_is_no_number_fails_its_trial(bench: Bench) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    bad = {"epoch": 1.0, "score": math.nan, "loss": 0.5}
    assert sweep.take(0, Outcome([bad])) is True
    (trial,) = bench.read().trials
    assert trial.state == "fail"
    assert trial.failure is not None
    assert trial.failure["reason"] == "score is nan at epoch 1"
    assert trial.curves["score"] == [None]


def test_a_final_metric_that_is_no_number_stays_known_as_such(bench: Bench) -> None:
    bench.begin(trials=1)
    sweep = bench.sweep()
    assert sweep.next_job() is not None
    report = {"epoch": 11.0, "score": 0.5, "loss": 0.5}
    sweep.take(0, Outcome([report], finished={"val/score": math.nan, "val/loss": math.inf}))
    (trial,) = bench.read().trials
    assert trial.state == "complete"
    assert math.isnan(trial.metrics["val/score"])
    assert math.isnan(trial.metrics["val/loss"])
    assert trial.metrics["score"] == 0.5
    assert trial.to_dict()["metrics"] == report | {"val/score": None, "val/loss": None}


def test_a_metric_that_nobody_reports_is_a_mistake_of_the_user(bench: Bench) -> None:
    bench.begin(trials=1, objective={"metric": "sorce", "direction": "maximize"})
    with pytest.raises(UsageError, match=r"reports no metric 'sorce'; it reports epoch, loss, sc"):
        work(bench.sweep())


def test_a_failed_trial_keeps_its_traceback_and_the_search_goes_on(bench: Bench) -> None:
    bench.begin(trials=2)
    sweep = bench.sweep()
    assert sweep.next_job() is not None
    sweep.take(0, Outcome(failure=Failure("ValueError: no", "Traceback …")))
    work(sweep)
    record = bench.read()
    assert [t.state for t in record.trials] == ["fail", "complete"]
    assert record.trials[0].failure == {"reason": "ValueError: no", "traceback": "Traceback …"}


def test_only_the_best_trial_keeps_its_checkpoint(bench: Bench) -> None:
    bench.begin(trials=6)
    work(bench.sweep())
    record = bench.read()
    assert record.best is not None
    kept = [t.number for t in record.trials if Slot(t.slot or "").load() is not None]
    assert kept == [record.best.number]


def test_a_grid_is_walked_once_and_whole(bench: Bench) -> None:
    bench.begin(trials=100, sampler="grid", pruner="none", params__x__step=0.25)
    work(bench.sweep())
    record = bench.read()
    assert [t.params["x"] for t in record.trials] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert record.counts["complete"] == 5


def test_several_objectives_are_searched_without_pruning(bench: Bench) -> None:
    objectives = [
        {"metric": "score", "direction": "maximize"},
        {"metric": "loss", "direction": "minimize"},
    ]
    bench.begin(trials=4, objective=objectives, sampler="nsga2")
    work(bench.sweep())
    record = bench.read()
    assert record.counts["complete"] == 4
    assert all(len(t.values or ()) == 2 for t in record.trials)


def test_what_another_process_took_is_left_to_it_whatever_comes(bench: Bench) -> None:
    """As after the sleep of a machine: its trials were taken over, its workers go on."""
    bench.begin(trials=4, seeds=2, pruner="none")
    sleeper = bench.sweep()
    jobs = [sleeper.next_job() for _ in range(4)]
    die(sleeper)
    heir = bench.sweep()
    taken = {job.number for job in (heir.next_job(), heir.next_job()) if job is not None}
    report = {"epoch": 1.0, "score": -1.0, "loss": 2.0}
    for job in jobs:
        assert job is not None
        sleeper.take(job.number, Outcome([report], 0))
        assert sleeper.take(job.number, Outcome(first=1, finished={}))
    sleeper.end()
    record = bench.read()
    assert len(record.trials) == 4
    assert {t.number for t in record.trials if t.state == "running"} == taken
    assert all("score" not in t.curves for t in record.trials if t.number in taken)
    assert record.counts["complete"] == 0


def test_what_is_found_to_be_taken_over_at_a_rung_is_left_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mrtune.study.mirror.LOOK_EVERY", 0.0)
    bench.begin(trials=12)
    other, sleeper = bench.sweep(), bench.sweep()
    for _ in range(6):
        job = other.next_job()
        assert job is not None
        other.take(job.number, Outcome([{"epoch": 1.0, "score": 0.9, "loss": 0.1}], 0))
    other._mirror.flush()
    lost = sleeper.next_job()
    assert lost is not None
    sleeper._mirror.flush()
    sleeper.study.set_user_attr(f"{keys.DRIVER}{sleeper._mirror.owner}", None)
    other._queue.empty()  # it queues what a process that seems to be gone has left
    reports = [{"epoch": epoch, "score": 0.01, "loss": 0.99} for epoch in (1.0, 2.0)]
    assert sleeper.take(lost.number, Outcome(reports, 0))
    sleeper.end()
    trial = bench.read().trials[lost.number]
    assert (trial.state, trial.rungs, dict(trial.curves)) == ("waiting", (), {})
    other.end()


def test_the_rungs_of_other_processes_count_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mrtune.study.mirror.LOOK_EVERY", 0.0)
    bench.begin(trials=12)
    one, other = bench.sweep(), bench.sweep()
    mine = one.next_job()
    mine = one.next_job()  # the first is the default, which is never stopped
    assert mine is not None
    for _ in range(6):
        job = other.next_job()
        assert job is not None
        other.take(job.number, Outcome([{"epoch": 1.0, "score": 0.9, "loss": 0.1}], 0))
    other._mirror.flush()
    report = {"epoch": 1.0, "score": 0.01, "loss": 0.99}
    assert one.take(mine.number, Outcome([report], 0))
    other.end()
    one.end()
