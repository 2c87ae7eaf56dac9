"""A study as the process that searches it sees it: its trials in memory, writes to them in groups.

Optuna reads every unfinished trial anew at each look, and stores each value by itself, which takes
long where a thousand trials run at once. Here only what other processes do is read. What this one
writes to a trial is stored within a second or so, and never after the trial has changed its state.
"""

import copy
import math
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any, TypeVar

from optuna.distributions import BaseDistribution, check_distribution_compatibility
from optuna.storages import RDBStorage
from optuna.storages._cached_storage import _CachedStorage, _StudyInfo
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import Connection

from mrtune.study.keys import CURVES, OWNER
from mrtune.study.patience import asked
from mrtune.study.roll import Roll
from mrtune.study.rows import parts
from mrtune.study.statements import (
    UNFINISHED,
    change_state,
    create_running,
    hold,
    owners,
    runners,
    sign,
    some_or_new,
    unfinished_or_new,
)
from mrtune.study.writes import Writes

HOLD = 1.0  # seconds that a write may wait for others
LARGEST = 2**31 - 1  # identifier in a database
LOOK_EVERY = 2.0  # seconds between looks at what the trials of other processes report

Listener = Callable[[FrozenTrial], None]
Change = TypeVar("Change")
States = dict[int, TrialState]


class Mirror(_CachedStorage):
    """Knows all trials of a study, and signs those that this process runs."""

    def __init__(self, backend: RDBStorage) -> None:
        super().__init__(backend)
        self.owner = uuid.uuid4().hex[:8]
        self._writes = Writes()
        self._mine: set[int] = set()  # identifiers, as in all that follows
        self._foreign: set[int] = set()  # unfinished at the last look
        self._newest = -1  # at the last look
        self._looked = -math.inf
        self._rolls: dict[int, Roll] = defaultdict(Roll)  # by the identifiers of studies
        self._listeners: list[Listener] = []

    @property
    def backend(self) -> RDBStorage:
        """The storage behind it."""
        return self._backend

    def listen(self, listener: Listener) -> None:
        """Have all trials told, then what comes, what changes its state, what others' report."""
        self._listeners.append(listener)
        for info in self._studies.values():
            for trial in info.trials.values():
                listener(trial)

    def runs(self, trial_id: int) -> bool:
        """Whether this process runs a trial, as far as it knows."""
        return trial_id in self._mine

    def tick(self) -> None:
        """Store what has waited long enough."""
        if self._writes.age >= HOLD:
            self.flush()

    def flush(self) -> None:
        """Store what was written."""
        if self._writes:
            self._store(lambda _: None)

    def look(self, study_id: int) -> None:
        """Read what others have changed, unless that was done a moment ago."""
        if time.monotonic() - self._looked >= LOOK_EVERY:
            self.refresh(study_id)

    def refresh(self, study_id: int) -> None:
        """Read what other processes have changed, save to what runs here."""
        look = time.monotonic() - self._looked >= LOOK_EVERY
        find = partial(unfinished_or_new, study_id=study_id, newest=self._newest)
        self._compare(study_id, find, look)
        if look:
            self._looked = time.monotonic()

    def follow(self, study_id: int) -> None:
        """Read which trials are new and what the others' do, however many run here."""
        find = partial(some_or_new, study_id=study_id, some=self._foreign, newest=self._newest)
        self._compare(study_id, find, look=False)

    def _compare(self, study_id: int, find: Callable[[Connection], States], look: bool) -> None:
        """Read the trials that are not as they are known; to look is to read their reports too."""

        def read() -> tuple[States, set[int], set[int], dict[int, str]]:
            engine = self._backend.engine
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                states = find(connection)
                running = {t for t, state in states.items() if state == TrialState.RUNNING}
                mine = self._mine - (states.keys() - running)
                running -= mine
                return states, running, mine, owners(connection, running)

        states, running, mine, owned = asked(read)
        changed = {t for t, state in states.items() if t not in mine and self._differs(t, state)}
        taken = {t for t in running - changed if look or owned.get(t) != self._owner(t)}
        gone = {
            t for t in self._foreign - states.keys() if not self.get_trial(t).state.is_finished()
        }
        self._read(study_id, changed | taken | gone)
        self._foreign = {t for t, state in states.items() if t not in mine and state in UNFINISHED}
        self._newest = max(self._newest, max(states, default=-1))

    def review(self) -> None:
        """See what others have taken over while this process was out of sight, and let go of it."""
        for study_id in self._studies:
            if lost := self._mine - self._transact(partial(self._signed_in, study_id=study_id)):
                self._read(study_id, lost)

    def _signed_in(self, connection: Connection, study_id: int) -> set[int]:
        """Return the running trials that are signed here; strays among them are queued."""
        states = unfinished_or_new(connection, study_id, LARGEST)
        running = [t for t, state in states.items() if state == TrialState.RUNNING]
        owned = owners(connection, running)
        mine = {trial for trial, owner in owned.items() if owner == self.owner}
        for stray in mine - self._mine:
            change_state(connection, stray, TrialState.WAITING, None, self.owner)
        return mine

    def _differs(self, trial_id: int, state: TrialState) -> bool:
        known = self._known(trial_id)
        return known is None or known.state != state

    def _owner(self, trial_id: int) -> str | None:
        owner: str | None = self.get_trial(trial_id).user_attrs.get(OWNER)
        return owner

    def _read(self, study_id: int, trials: set[int]) -> None:
        """Read some trials, or all if none is known yet."""
        info = self._studies.setdefault(study_id, _StudyInfo())
        chosen = [(set(part), LARGEST) for part in parts(sorted(trials))]
        for some, newer_than in chosen if info.trials else [(set[int](), -1)]:
            found = self._backend._get_trials(study_id, None, some, newer_than)
            self._add_trials_to_cache(study_id, found)
        for lost in {trial for trial in trials & self._mine if not self._signed(trial)}:
            self._mine.remove(lost)
            self._foreign.add(lost)
            self._writes.drop(lost)

    def _signed(self, trial_id: int) -> bool:
        trial = self._known(trial_id)
        running = trial is not None and trial.state == TrialState.RUNNING
        return running and self._owner(trial_id) == self.owner

    def _store(self, change: Callable[[Connection], Change]) -> Change:
        """Store what was written, and a change with it."""

        def store(connection: Connection) -> Change:
            hold(connection, self._writes.trials)
            for trial in self._lost(connection):
                self._writes.drop(trial)
            done = change(connection)
            self._writes.store(connection)
            return done

        done = self._transact(store)
        self._writes.clear()
        return done

    def _transact(self, change: Callable[[Connection], Change]) -> Change:
        """Make a change; a server that went away meanwhile may have made it all the same."""

        def transact() -> Change:
            with self._backend.engine.begin() as connection:
                return change(connection)

        return asked(transact)

    def _lost(self, connection: Connection) -> set[int]:
        """Return which of the trials that are written to are others', or have ended or wait."""
        written = self._writes.trials
        found = runners(connection, written)
        unsigned = {trial for trial, (_, owner) in found.items() if owner is None}
        run = {
            trial
            for trial, runner in found.items()
            if trial in self._mine and runner == (TrialState.RUNNING, self.owner)
        }
        return written - unsigned - run

    # What Optuna asks and tells.

    def _read_trials_from_remote_storage(self, study_id: int) -> None:
        self.look(study_id)

    def _add_trials_to_cache(self, study_id: int, trials: list[FrozenTrial]) -> None:
        super()._add_trials_to_cache(study_id, trials)
        for trial in trials:
            self._heard(study_id, trial)

    def _heard(self, study_id: int, trial: FrozenTrial) -> None:
        self._rolls[study_id].note(trial.number, trial.state)
        if trial.state.is_finished():  # Nobody who searches looks at its curves, and they are long.
            trial.user_attrs = {k: v for k, v in trial.user_attrs.items() if k != CURVES}
        for listener in self._listeners:
            listener(trial)

    def get_trial(self, trial_id: int) -> FrozenTrial:
        """Return a trial as it is known here."""
        return self._known(trial_id) or self._backend.get_trial(trial_id)

    def get_all_trials(
        self,
        study_id: int,
        deepcopy: bool = True,
        states: Container[TrialState] | None = None,
    ) -> list[FrozenTrial]:
        """Return trials in the order of their numbers."""
        self._read_trials_from_remote_storage(study_id)
        known = self._studies[study_id].trials
        numbers = sorted(known) if states is None else self._rolls[study_id].among(states)
        chosen = [known[number] for number in numbers]
        return copy.deepcopy(chosen) if deepcopy else chosen

    def delete_study(self, study_id: int) -> None:
        """Forget a study."""
        self._rolls.pop(study_id, None)
        super().delete_study(study_id)

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        """Begin a trial, or queue one."""
        if template_trial is not None:
            return self._queue(study_id, template_trial)
        at, number = self._trial_id_to_study_id_and_number.get(self._newest, (None, -1))
        known = (self._newest, number + 1) if at == study_id else (-1, 0)
        tries = count()

        def create(connection: Connection) -> FrozenTrial:
            before = self._begun(connection, study_id) if next(tries) else None
            return before or create_running(connection, study_id, self.owner, known)

        trial = self._transact(create)
        self._mine.add(trial._trial_id)
        self._studies.setdefault(study_id, _StudyInfo())
        self._add_trials_to_cache(study_id, [trial])
        return trial._trial_id

    def _queue(self, study_id: int, template: FrozenTrial) -> int:
        """Queue a trial, once, although the server may go away before it has said so."""
        trials = self._studies.setdefault(study_id, _StudyInfo()).trials
        before, tries = set(trials), count()

        def create() -> FrozenTrial:
            if next(tries):
                self.refresh(study_id)
                for number in trials.keys() - before:
                    if _alike(trials[number], template):
                        return trials[number]
            return self._backend._create_new_trial(study_id, template)

        trial = asked(create)
        self._add_trials_to_cache(study_id, [trial])
        return trial._trial_id

    def _begun(self, connection: Connection, study_id: int) -> FrozenTrial | None:
        """Return a trial that was begun here without this process being told."""
        new = some_or_new(connection, study_id, (), self._newest)
        signed = {t for t, owner in owners(connection, new).items() if owner == self.owner}
        untold = {t for t in signed - self._mine if new[t] == TrialState.RUNNING}
        return self._backend.get_trial(untold.pop()) if untold else None

    def set_trial_state_values(
        self, trial_id: int, state: TrialState, values: Sequence[float] | None = None
    ) -> bool:
        """Change a state; return False where another process has done so before."""
        before = self._updatable(trial_id)
        waits = before.state == TrialState.WAITING
        owner: str | None = None if waits else before.user_attrs.get(OWNER)

        def change(connection: Connection) -> bool:
            changed = change_state(connection, trial_id, state, values, owner)
            if not changed:
                self._writes.drop(trial_id)
            elif state == TrialState.RUNNING:
                sign(connection, trial_id, self.owner)
            return changed

        changed = self._store(change)
        if changed:
            self._mine.discard(trial_id)
            self._foreign.add(trial_id)
        if changed and state == TrialState.RUNNING:
            self._mine.add(trial_id)
        if changed and state != TrialState.RUNNING:
            changed_trial = _changed(self._replaced(trial_id), state, values)
            self._heard(self._study_of(trial_id), changed_trial)
        else:
            self._read(self._study_of(trial_id), {trial_id})  # others may have been at it
        if waits and state == TrialState.RUNNING and self._signed(trial_id):
            self._mine.add(trial_id)  # even where only a first try, of which nobody told, began it
            return True
        return changed

    def set_trial_param(
        self,
        trial_id: int,
        param_name: str,
        param_value_internal: float,
        distribution: BaseDistribution,
    ) -> None:
        """Set a parameter, whose range must be the one that it has in other trials."""
        self._updatable(trial_id)
        known = self._studies[self._study_of(trial_id)].param_distribution.get(param_name)
        if known is None:
            super().set_trial_param(trial_id, param_name, param_value_internal, distribution)
        else:
            check_distribution_compatibility(known, distribution)
            self._writes.param(trial_id, param_name, param_value_internal, distribution)
        value = distribution.to_external_repr(param_value_internal)
        self._attach(trial_id, "params", param_name, value)
        self._attach(trial_id, "distributions", param_name, distribution)

    def set_trial_intermediate_value(
        self, trial_id: int, step: int, intermediate_value: float
    ) -> None:
        """Add a report."""
        self._attach(trial_id, "intermediate_values", step, intermediate_value)
        self._writes.report(trial_id, step, intermediate_value)

    def set_trial_user_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Set an attribute of ours."""
        self._attach(trial_id, "user_attrs", key, value)
        self._writes.user_attribute(trial_id, key, value)

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Set an attribute of Optuna's."""
        self._attach(trial_id, "system_attrs", key, value)
        self._writes.system_attribute(trial_id, key, value)

    def _attach(self, trial_id: int, to: str, key: Any, value: Any) -> None:
        """Change one of the mappings of a trial, but not those that were handed out."""
        self._updatable(trial_id)
        trial = self._replaced(trial_id)
        setattr(trial, to, getattr(trial, to) | {key: value})

    def _replaced(self, trial_id: int) -> FrozenTrial:
        """Put a copy in the place of a trial."""
        study_id, number = self._trial_id_to_study_id_and_number[trial_id]
        trials = self._studies[study_id].trials
        trials[number] = trial = copy.copy(trials[number])
        return trial

    def _updatable(self, trial_id: int) -> FrozenTrial:
        trial = self.get_trial(trial_id)
        self.check_trial_is_updatable(trial_id, trial.state)
        return trial

    def _study_of(self, trial_id: int) -> int:
        return self._trial_id_to_study_id_and_number[trial_id][0]

    def _known(self, trial_id: int) -> FrozenTrial | None:
        at = self._trial_id_to_study_id_and_number.get(trial_id)
        return None if at is None else self._studies[at[0]].trials[at[1]]


def _alike(trial: FrozenTrial, other: FrozenTrial) -> bool:
    return all(
        getattr(trial, part) == getattr(other, part)
        for part in ("state", "params", "user_attrs", "system_attrs")
    )


def _changed(trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> FrozenTrial:
    trial.state = state
    if values is not None:
        trial.values = list(values)
    if state.is_finished():
        trial.datetime_complete = datetime.now()
    return trial
