"""Two processes work at one study in any order, each through a mirror of its own."""

from pathlib import Path
from tempfile import TemporaryDirectory

import optuna
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from optuna.trial import FrozenTrial, TrialState

from mrtune.study import close_storage, open_storage
from mrtune.study.keys import OWNER
from mrtune.study.mirror import Mirror

pytestmark = pytest.mark.slow
PROCESSES = st.sampled_from((0, 1))
CHOICES = st.randoms(use_true_random=False)


class Together(RuleBasedStateMachine):
    """What each of them may do at any moment; `told` is what must come of it."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        url = str(Path(self.folder.name) / "mrtune.db")
        self.backends = [open_storage(url) for _ in range(3)]
        optuna.create_study(study_name="s", storage=self.backends[2])
        self.mirrors = [Mirror(backend) for backend in self.backends[:2]]
        self.studies = [optuna.load_study(study_name="s", storage=m) for m in self.mirrors]
        self.asked: list[list[optuna.Trial]] = [[], []]
        self.heard: list[dict[int, TrialState]] = [{}, {}]
        for mirror, heard in zip(self.mirrors, self.heard, strict=True):
            mirror.listen(lambda t, heard=heard: heard.update({t.number: t.state}))
        self.created = 0
        self.told: dict[int, float] = {}

    def teardown(self) -> None:
        for backend in getattr(self, "backends", ()):
            close_storage(backend)
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def stored(self) -> list[FrozenTrial]:
        """The trials as Optuna's own storage reads them."""
        return self.backends[2].get_all_trials(self.studies[0]._study_id)

    def running(self, process: int) -> list[optuna.Trial]:
        runs = self.mirrors[process].runs
        return [trial for trial in self.asked[process] if runs(trial._trial_id)]

    @rule(process=PROCESSES)
    def enqueue(self, process: int) -> None:
        self.studies[process].enqueue_trial({"x": 0.5})
        self.created += 1

    @rule(process=PROCESSES)
    def ask(self, process: int) -> None:
        mirror, before = self.mirrors[process], self.stored()
        mirror.follow(self.studies[process]._study_id)
        queued = {t.number for t in before if t.state == TrialState.WAITING}
        # What another has queued that is thought to run here may be seen, or not yet.
        seen = {number for number in queued if not mirror.runs(before[number]._trial_id)}
        trial = self.studies[process].ask()
        assert trial.number in (queued if seen else queued | {len(before)})
        self.created += trial.number == len(before)
        self.asked[process].append(trial)

    @rule(process=PROCESSES, choice=CHOICES, value=st.floats(0, 1))
    def report(self, process: int, choice: object, value: float) -> None:
        if running := self.running(process):
            trial = choice.choice(running)  # type: ignore[attr-defined]
            trial.report(
                value, 1 + len(trial.storage.get_trial(trial._trial_id).intermediate_values)
            )

    @rule(process=PROCESSES, choice=CHOICES, value=st.floats(0, 1))
    def tell(self, process: int, choice: object, value: float) -> None:
        if running := self.running(process):
            trial = choice.choice(running)  # type: ignore[attr-defined]
            owner = self.stored()[trial.number].user_attrs[OWNER]
            mine = owner == self.mirrors[process].owner
            counts = mine and self.stored()[trial.number].state == TrialState.RUNNING
            self.studies[process].tell(trial, value)
            if counts:
                assert trial.number not in self.told
                self.told[trial.number] = value

    @rule(process=PROCESSES, choice=CHOICES)
    def give_back(self, process: int, choice: object) -> None:
        if running := self.running(process):
            trial = choice.choice(running)  # type: ignore[attr-defined]
            self.mirrors[process].set_trial_state_values(trial._trial_id, TrialState.WAITING)

    @rule(process=PROCESSES)
    def adopt(self, process: int) -> None:
        """Take the other process for dead."""
        mirror, other = self.mirrors[process], self.mirrors[1 - process]
        mirror.follow(self.studies[process]._study_id)
        for trial in self.stored():
            if trial.state == TrialState.RUNNING and trial.user_attrs[OWNER] == other.owner:
                mirror.set_trial_state_values(trial._trial_id, TrialState.WAITING)

    @rule(process=PROCESSES)
    def look(self, process: int) -> None:
        self.mirrors[process].refresh(self.studies[process]._study_id)

    @rule(process=PROCESSES)
    def review(self, process: int) -> None:
        self.mirrors[process].review()

    @rule(process=PROCESSES)
    def flush(self, process: int) -> None:
        self.mirrors[process].flush()

    @invariant()
    def no_trial_is_lost_and_none_is_told_twice(self) -> None:
        if not hasattr(self, "backends"):
            return
        trials = self.stored()
        assert [trial.number for trial in trials] == list(range(self.created))
        assert {t.number: t.value for t in trials if t.state.is_finished()} == self.told

    @rule(process=PROCESSES)
    def who_follows_knows_what_is_stored(self, process: int) -> None:
        mirror, study_id = self.mirrors[process], self.studies[process]._study_id
        mirror.review()
        mirror.flush()
        mirror.follow(study_id)
        for trial in self.stored():
            known = mirror.get_trial(trial._trial_id)
            assert (known.state, known.values) == (trial.state, trial.values)
            assert self.heard[process][trial.number] == trial.state
            runs = trial.state == TrialState.RUNNING and trial.user_attrs[OWNER] == mirror.owner
            assert mirror.runs(trial._trial_id) == runs
            if trial.state == TrialState.RUNNING:
                assert known.user_attrs[OWNER] == trial.user_attrs[OWNER]
            if runs or trial.state.is_finished():
                assert known.intermediate_values == trial.intermediate_values


TestTogether = Together.TestCase
TestTogether.settings = settings(max_examples=25, stateful_step_count=40)
