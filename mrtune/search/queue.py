"""Which trial comes next: one that waits, else a new configuration, and not one too many."""

import optuna
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState

from mrtune.search.events import Event, Watch
from mrtune.search.samplers import Proposer
from mrtune.search.space import Space, default_point
from mrtune.study import keys
from mrtune.study.drivers import drivers_of
from mrtune.study.lock import study_lock


class TrialQueue:
    """The queue is the study itself, so that all processes that search it share one.

    A trial that has to wait, because its process died, the search is paused, or it is the next seed
    of a configuration, is a waiting trial of the study; whichever process asks next continues it.
    """

    def __init__(
        self,
        study: optuna.Study,
        storage: RDBStorage,
        space: Space,
        proposer: Proposer,
        target: int | None,
        seed: int,
        watch: Watch,
    ) -> None:
        self._study = study
        self._storage = storage
        self._proposer = proposer
        self._grid = space.grid() if space.sampler == "grid" else None
        self._default = None if self._grid else default_point(space)
        self._target = target
        if self._grid is not None:
            self._target = min(len(self._grid), target or len(self._grid))
        self._seed = seed
        self._watch = watch

    def take(self, owner: str) -> optuna.Trial | None:
        """Take the next trial for a process, if there is one."""
        with study_lock(self._storage, self._study._study_id):
            self._adopt_orphans(owner)
            trials = self._trials()
            begun = _configurations(trials)
            self._study.sampler = self._proposer.sampler(begun)
            if not _waiting(trials):
                if self._target is not None and begun >= self._target:
                    return None
                if self._grid is not None:
                    self._study.enqueue_trial(self._grid[begun])
                elif begun == 0 and self._default is not None:
                    self._study.enqueue_trial(self._default, {keys.DEFAULT: True})
            trial = self._study.ask()
            trial.set_user_attr(keys.OWNER, owner)
        if keys.CONFIG not in trial.user_attrs:
            trial.set_user_attr(keys.CONFIG, trial.number)
            trial.set_user_attr(keys.SEED, self._seed)
        return trial

    def give_back(self, trial: optuna.Trial) -> None:
        """Let a trial wait for whoever asks next."""
        self._storage.set_trial_state_values(trial._trial_id, TrialState.WAITING)

    def add_seed(self, trial: optuna.Trial) -> None:
        """Queue another training of the configuration of a trial."""
        known = trial.user_attrs
        same = {key: known[key] for key in (keys.CONFIG, keys.DEFAULT) if key in known}
        self._study.enqueue_trial(trial.params, {**same, keys.SEED: known[keys.SEED] + 1})

    def empty(self, owner: str) -> bool:
        """Whether nothing waits, the target is reached, and no process left a trial behind."""
        with study_lock(self._storage, self._study._study_id):
            self._adopt_orphans(owner)
        trials = self._trials()
        reached = self._target is not None and _configurations(trials) >= self._target
        return reached and not _waiting(trials)

    def _adopt_orphans(self, owner: str) -> None:
        """Queue the running trials of processes that are gone."""
        running = [t for t in self._trials() if t.state == TrialState.RUNNING]
        foreign = [t for t in running if t.user_attrs.get(keys.OWNER) != owner]
        if not foreign:
            return
        alive = {driver.id for driver in drivers_of(self._study.user_attrs) if driver.alive}
        orphans = [t for t in foreign if t.user_attrs.get(keys.OWNER) not in alive]
        for trial in orphans:
            self._storage.set_trial_state_values(trial._trial_id, TrialState.WAITING)
        if orphans:
            self._watch(Event("adopted", about={"trials": [t.number for t in orphans]}))

    def _trials(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)


def _configurations(trials: list[FrozenTrial]) -> int:
    """Count the configurations that were begun."""
    return sum(trial.user_attrs.get(keys.CONFIG, trial.number) == trial.number for trial in trials)


def _waiting(trials: list[FrozenTrial]) -> bool:
    return any(trial.state == TrialState.WAITING for trial in trials)
