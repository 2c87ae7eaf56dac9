"""Processes that search one study, each through a mirror of its own."""

import math
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import optuna
import pytest
import sqlalchemy
from optuna.trial import TrialState
from sqlalchemy.exc import OperationalError

from mrtune.study import Storage, close_storage, mirror, open_storage
from mrtune.study.keys import CURVES, OWNER
from mrtune.study.mirror import Mirror
from mrtune.study.statements import create_running

NAME = "shared"


@contextmanager
def process(url: str) -> Iterator[optuna.Study]:
    """A process that searches the study."""
    backend = open_storage(url)
    try:
        yield optuna.create_study(
            study_name=NAME,
            storage=Mirror(backend),
            load_if_exists=True,
            sampler=optuna.samplers.RandomSampler(seed=0),
        )
    finally:
        close_storage(backend)


@pytest.fixture
def one(url: str) -> Iterator[optuna.Study]:
    with process(url) as study:
        yield study


@pytest.fixture
def other(url: str, one: optuna.Study) -> Iterator[optuna.Study]:  # noqa: ARG001
    with process(url) as study:
        yield study


@pytest.fixture
def stored(url: str, one: optuna.Study) -> Iterator[optuna.Study]:  # noqa: ARG001
    """The study as plain Optuna reads it, and as a process that was killed now would leave it."""
    backend = open_storage(url)
    yield optuna.load_study(study_name=NAME, storage=backend)
    close_storage(backend)


def mirror_of(study: optuna.Study) -> Mirror:
    assert isinstance(study._storage, Mirror)
    return study._storage


def commits(storage: Storage) -> list[object]:
    """Return a list that grows by one with every transaction."""
    made: list[object] = []
    sqlalchemy.event.listen(storage.engine, "commit", made.append)
    return made


@contextmanager
def unacknowledged(storage: Storage) -> Iterator[None]:
    """The first commit in the block is made, and then the connection breaks."""
    engine = storage.engine
    commit, failures = engine.dialect.do_commit, iter([True])

    def do_commit(connection: object) -> None:
        commit(connection)  # type: ignore[arg-type]
        if next(failures, False):
            raise OperationalError("COMMIT", {}, Exception("terminating connection"))

    engine.dialect.do_commit = do_commit  # type: ignore[method-assign]
    try:
        yield
    finally:
        engine.dialect.do_commit = commit  # type: ignore[method-assign]


def test_reports_are_stored_in_groups_and_at_the_latest_with_the_state(
    one: optuna.Study, stored: optuna.Study
) -> None:
    trials = [one.ask() for _ in range(3)]
    for trial in trials:
        trial.suggest_float("x", 0, 1)
    made = commits(mirror_of(one).backend)
    for step in range(1, 5):
        for trial in trials:
            trial.report(step / 10, step)
            trial.set_user_attr(CURVES, {"epoch": list(range(1, step + 1))})
    assert not made
    assert [t.intermediate_values for t in one.trials] == [{1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}] * 3
    one.tell(trials[1], 0.5)
    assert len(made) == 1
    for trial in stored.trials:
        assert trial.intermediate_values == {1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}
        assert trial.user_attrs[CURVES] == {"epoch": [1, 2, 3, 4]}
        assert set(trial.params) == {"x"}
    assert [t.state.name for t in stored.trials] == ["RUNNING", "COMPLETE", "RUNNING"]
    assert stored.trials[1].value == 0.5
    assert stored.trials[1].params == one.trials[1].params


def test_what_waits_is_stored_after_a_while(
    one: optuna.Study, stored: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "HOLD", math.inf)
    one.ask().report(0.5, 1)
    mirror_of(one).tick()
    assert stored.trials[0].intermediate_values == {}
    monkeypatch.setattr(mirror, "HOLD", 0.0)
    mirror_of(one).tick()
    assert stored.trials[0].intermediate_values == {1: 0.5}


def test_processes_see_what_the_others_do(
    one: optuna.Study, other: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = one.ask(), other.ask()
    assert (first.number, second.number) == (0, 1)
    first.report(0.25, 1)
    mirror_of(one).flush()
    monkeypatch.setattr(mirror, "LOOK_EVERY", 0.0)
    seen = other.trials
    assert [t.state for t in seen] == [TrialState.RUNNING] * 2
    assert seen[0].intermediate_values == {1: 0.25}
    one.tell(first, 0.5)
    one.enqueue_trial({"x": 0.75})
    assert [t.state.name for t in other.trials] == ["COMPLETE", "RUNNING", "WAITING"]
    assert other.trials[0].value == 0.5
    assert other.ask().suggest_float("x", 0, 1) == 0.75
    assert [t.state.name for t in one.trials] == ["COMPLETE", "RUNNING", "RUNNING"]


def test_a_trial_that_was_taken_over_is_no_longer_written_to(
    one: optuna.Study, other: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    trial.report(0.1, 1)
    mirror_of(one).flush()
    mirror_of(other).refresh(other._study_id)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    taken = other.ask()
    assert taken.number == trial.number
    taken.report(0.2, 2)
    mirror_of(other).flush()
    trial.report(-1.0, 3)  # the first process does not know yet
    mirror_of(one).review()
    assert not mirror_of(one).runs(trial._trial_id)
    assert mirror_of(other).runs(trial._trial_id)
    mirror_of(one).flush()
    assert stored.trials[0].intermediate_values == {1: 0.1, 2: 0.2}
    assert stored.trials[0].user_attrs[OWNER] == mirror_of(other).owner


def test_what_waits_for_a_trial_that_was_lost_is_forgotten(
    one: optuna.Study, other: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    trial.report(0.5, 1)
    mirror_of(other).refresh(other._study_id)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    mirror_of(one).refresh(one._study_id)
    assert not mirror_of(one).runs(trial._trial_id)
    mirror_of(one).flush()
    assert stored.trials[0].intermediate_values == {}


def test_the_end_of_a_trial_that_was_taken_over_does_not_count(
    one: optuna.Study, other: optuna.Study, stored: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = one.ask()
    monkeypatch.setattr(mirror, "LOOK_EVERY", math.inf)
    mirror_of(one).flush()
    mirror_of(other).refresh(other._study_id)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    taken = other.ask()
    trial.set_user_attr("mine", True)
    one.tell(trial, 1.0)
    assert stored.trials[0].state == TrialState.RUNNING
    assert "mine" not in stored.trials[0].user_attrs
    other.tell(taken, 2.0)
    assert stored.trials[0].value == 2.0
    assert one.trials[0].state == TrialState.RUNNING  # as it was when one asked last


def test_what_is_written_to_a_trial_that_another_has_queued_is_not_stored(
    one: optuna.Study, other: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    mirror_of(other).refresh(other._study_id)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    trial.report(0.5, 1)
    mirror_of(one).flush()
    assert stored.trials[0].intermediate_values == {}


def test_a_trial_that_was_handed_to_and_fro_is_read_anew(
    one: optuna.Study, other: optuna.Study
) -> None:
    trial = one.ask()
    mirror_of(one).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    mirror_of(other).refresh(other._study_id)
    again = one.ask()
    again.report(0.5, 1)
    mirror_of(one).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    assert other.ask()._cached_frozen_trial.intermediate_values == {1: 0.5}


def test_a_queued_trial_that_another_has_run_is_read_anew(
    one: optuna.Study, other: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    one.enqueue_trial({"x": 0.5})
    mirror_of(other).refresh(other._study_id)
    monkeypatch.setattr(mirror, "LOOK_EVERY", math.inf)
    trial = other.ask()
    trial.report(0.5, 1)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    assert one.ask()._cached_frozen_trial.intermediate_values == {1: 0.5}


def test_what_was_given_back_and_finished_elsewhere_is_known(
    one: optuna.Study, other: optuna.Study
) -> None:
    trial = one.ask()
    mirror_of(one).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    mirror_of(other).refresh(other._study_id)
    other.tell(other.ask(), 1.0)
    mirror_of(one).refresh(one._study_id)
    assert [t.state.name for t in one.trials] == ["COMPLETE"]


def test_what_was_lost_and_finished_elsewhere_is_known(
    one: optuna.Study, other: optuna.Study
) -> None:
    trial = one.ask()
    mirror_of(other).refresh(other._study_id)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    taken = other.ask()
    mirror_of(one).review()
    other.tell(taken, 1.0)
    mirror_of(one).refresh(one._study_id)
    assert [t.state.name for t in one.trials] == ["COMPLETE"]


def test_who_follows_knows_who_runs_what_another_has_taken_over(
    url: str, one: optuna.Study, other: optuna.Study
) -> None:
    trial = one.ask()
    with process(url) as third:
        mirror_of(third).follow(third._study_id)
        mirror_of(other).follow(other._study_id)
        mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
        other.ask()
        mirror_of(third).follow(third._study_id)
        known = mirror_of(third).get_trial(trial._trial_id)
    assert known.user_attrs[OWNER] == mirror_of(other).owner


@pytest.mark.parametrize("odd", ["caf\udce9.png", 2**70])
def test_what_is_no_text_is_stored_all_the_same(
    one: optuna.Study, stored: optuna.Study, odd: object
) -> None:
    one.ask().set_user_attr("odd", odd)
    mirror_of(one).flush()
    assert stored.trials[0].user_attrs["odd"] == ("caf?.png" if isinstance(odd, str) else odd)


def test_a_trial_of_which_the_answer_was_lost_is_queued(one: optuna.Study) -> None:
    """As when the connection breaks just after a trial was created."""
    mine = mirror_of(one)
    with mine.backend.engine.begin() as connection:
        create_running(connection, one._study_id, mine.owner)
    mine.review()
    mine.refresh(one._study_id)
    assert [t.state.name for t in one.trials] == ["WAITING"]
    assert one.ask().number == 0


def test_nobody_takes_a_trial_over_while_it_is_written_to(
    one: optuna.Study, other: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    trial.report(0.5, 1)
    mirror_of(other).refresh(other._study_id)

    def take_over() -> bool:
        return mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)

    with ThreadPoolExecutor(1) as pool:

        def let_it_try(_: object) -> Future[bool]:
            taken = pool.submit(take_over)
            time.sleep(0.5)
            assert not taken.done()
            return taken

        assert mirror_of(one)._store(let_it_try).result(timeout=60)
    assert stored.trials[0].intermediate_values == {1: 0.5}
    assert stored.trials[0].state == TrialState.WAITING


def test_a_server_that_goes_away_in_a_transaction_is_asked_again(
    one: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    trial.report(0.5, 1)
    failures = iter([True])

    def fail(*_: object) -> None:
        if next(failures, False):
            raise OperationalError("COMMIT", {}, Exception("terminating connection"))

    sqlalchemy.event.listen(mirror_of(one).backend.engine, "commit", fail)
    mirror_of(one).flush()
    assert stored.trials[0].intermediate_values == {1: 0.5}


def test_curves_of_what_is_finished_are_not_kept_in_memory(
    one: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    trial.set_user_attr(CURVES, {"epoch": [1.0]})
    one.tell(trial, 1.0)
    assert CURVES not in one.trials[0].user_attrs
    assert stored.trials[0].user_attrs[CURVES] == {"epoch": [1.0]}


def test_a_listener_hears_of_what_was_there_before_and_of_what_comes(
    one: optuna.Study, other: optuna.Study
) -> None:
    one.enqueue_trial({"x": 0.5})
    heard: list[tuple[int, str]] = []
    mirror_of(one).listen(lambda trial: heard.append((trial.number, trial.state.name)))
    assert heard == [(0, "WAITING")]
    trial = one.ask()
    other.enqueue_trial({"x": 0.75})
    one.tell(trial, 1.0)
    mirror_of(one).refresh(one._study_id)
    assert heard[1:] == [(0, "RUNNING"), (0, "COMPLETE"), (1, "WAITING")]


def test_a_trial_of_which_the_start_was_acknowledged_too_late_is_started_once(
    one: optuna.Study, stored: optuna.Study
) -> None:
    """As when the server stores that a queued trial runs, and goes away before it says so."""
    one.enqueue_trial({"x": 0.5})
    mirror_of(one).refresh(one._study_id)
    with unacknowledged(mirror_of(one).backend):
        trial = one.ask()
    assert (trial.number, mirror_of(one).runs(trial._trial_id)) == (0, True)
    assert [t.state.name for t in stored.trials] == ["RUNNING"]


def test_a_new_trial_that_was_acknowledged_too_late_is_begun_once(
    one: optuna.Study, stored: optuna.Study
) -> None:
    before = one.ask()
    with unacknowledged(mirror_of(one).backend):
        trial = one.ask()
    mirror_of(one).review()
    assert mirror_of(one).runs(before._trial_id)
    assert mirror_of(one).runs(trial._trial_id)
    assert [t.state.name for t in stored.trials] == ["RUNNING", "RUNNING"]


def test_an_end_that_was_acknowledged_too_late_is_stored_once(
    one: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    trial.report(0.5, 1)
    with unacknowledged(mirror_of(one).backend):
        one.tell(trial, 1.0)
    assert not mirror_of(one).runs(trial._trial_id)
    for study in (one, stored):
        assert [(t.state.name, t.value) for t in study.trials] == [("COMPLETE", 1.0)]
        assert study.trials[0].intermediate_values == {1: 0.5}


def test_what_is_written_to_a_trial_that_is_known_to_be_lost_is_not_stored(
    one: optuna.Study, other: optuna.Study, stored: optuna.Study
) -> None:
    trial = one.ask()
    mirror_of(other).refresh(other._study_id)
    mirror_of(other).set_trial_state_values(trial._trial_id, TrialState.WAITING)
    mirror_of(one).refresh(one._study_id)
    trial.report(0.5, 1)
    mirror_of(one).flush()
    assert stored.trials[0].intermediate_values == {}
