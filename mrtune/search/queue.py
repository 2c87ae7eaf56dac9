"""Which trial comes next: one that waits, else a new configuration, and not one too many."""

import optuna
from optuna.trial import FrozenTrial, TrialState

from mrtune.search.events import Event, Watch
from mrtune.search.samplers import proposer
from mrtune.search.space import default_point
from mrtune.search.studies import OpenStudy
from mrtune.study import keys
from mrtune.study.drivers import drivers_of
from mrtune.study.lock import study_lock


class TrialQueue:
    """The queue is the study itself, so that all processes that search it share one.

    A trial that has to wait, because its process died, the search is paused, or it is the next seed
    of a configuration, is a waiting trial of the study; whichever process asks next continues it.
    """

    def __init__(self, opened: OpenStudy, watch: Watch) -> None:
        space, settings = opened.space, opened.settings
        self._study = opened.study
        self._mirror = opened.mirror
        self._proposer = proposer(
            space.sampler, settings.seed, settings.trials, len(space.objectives)
        )
        self._grid = space.grid() if space.sampler == "grid" else None
        self._default = None if self._grid else default_point(space)
        self._target = settings.trials
        if self._grid is not None:
            self._target = min(len(self._grid), settings.trials or len(self._grid))
        self._seed = settings.seed
        self._watch = watch
        self._tally = Tally()
        self._mirror.listen(self._tally.hear)

    def take(self) -> optuna.Trial | None:
        """Take the next trial for this process, if there is one."""
        with study_lock(self._mirror.backend, self._study._study_id):
            self._adopt_orphans()
            begun = len(self._tally.begun)
            self._study.sampler = self._proposer.sampler(begun)
            if not self._tally.waiting:
                if self._target is not None and begun >= self._target:
                    return None
                if self._grid is not None:
                    self._study.enqueue_trial(self._grid[begun])
                elif begun == 0 and self._default is not None:
                    self._study.enqueue_trial(self._default, {keys.DEFAULT: True})
            trial = self._study.ask()
        if keys.CONFIG not in trial.user_attrs:
            trial.set_user_attr(keys.CONFIG, trial.number)
            trial.set_user_attr(keys.SEED, self._seed)
        return trial

    def give_back(self, trial: optuna.Trial) -> None:
        """Let a trial wait for whoever asks next."""
        self._mirror.set_trial_state_values(trial._trial_id, TrialState.WAITING)

    def empty(self) -> bool:
        """Whether nothing waits, the target is reached, and no process left a trial behind."""
        with study_lock(self._mirror.backend, self._study._study_id):
            self._adopt_orphans()
        reached = self._target is not None and len(self._tally.begun) >= self._target
        return reached and not self._tally.waiting

    def _adopt_orphans(self) -> None:
        """Queue the running trials of processes that are gone."""
        self._mirror.follow(self._study._study_id)
        foreign = [t for id_, t in self._tally.running.items() if not self._mirror.runs(id_)]
        if not foreign:
            return
        alive = {driver.id for driver in drivers_of(self._study.user_attrs) if driver.alive}
        orphans = [t for t in foreign if t.user_attrs.get(keys.OWNER) not in alive]
        for trial in orphans:
            self._mirror.set_trial_state_values(trial._trial_id, TrialState.WAITING)
        if orphans:
            self._watch(Event("adopted", about={"trials": [t.number for t in orphans]}))


def queue_seed(study: optuna.Study, trial: optuna.Trial | FrozenTrial) -> None:
    """Let the configuration of a trial be trained with the next seed."""
    known = trial.user_attrs
    kept = (keys.CONFIG, keys.DEFAULT, *(() if trial.params else (keys.SETTING,)))
    same = {key: known[key] for key in kept if key in known}
    study.enqueue_trial(trial.params, {**same, keys.SEED: known[keys.SEED] + 1})


class Tally:
    """Which trials there are, as a mirror tells of them."""

    def __init__(self) -> None:
        self.begun: set[int] = set()  # configurations, by the numbers of their first trials
        self.waiting: set[int] = set()  # identifiers
        self.running: dict[int, FrozenTrial] = {}  # by identifier

    def hear(self, trial: FrozenTrial) -> None:
        """Note what a trial does now."""
        id_ = trial._trial_id
        if trial.user_attrs.get(keys.CONFIG, trial.number) == trial.number:
            self.begun.add(trial.number)
        self.waiting.discard(id_)
        self.running.pop(id_, None)
        if trial.state == TrialState.WAITING:
            self.waiting.add(id_)
        elif trial.state == TrialState.RUNNING:
            self.running[id_] = trial
