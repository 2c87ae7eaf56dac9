"""Keeps the checkpoint of the best trial, and of no other that is done."""

import optuna
from optuna.trial import TrialState

from mrtune.search.slot import Slot
from mrtune.study import keys
from mrtune.study.records import Objective


class Keeper:
    """Disks are small, networks are large, and only the winner is ever asked for."""

    def __init__(self, study: optuna.Study, objective: Objective) -> None:
        self._objective = objective
        self._value: float | None = None
        self._slot: str | None = None
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if self._beats(trial.values[0]):
                self._value, self._slot = trial.values[0], trial.user_attrs.get(keys.SLOT)

    def complete(self, value: float, slot: str) -> None:
        """Keep the better of a trial and the best one before it."""
        loser: str | None = slot
        if self._beats(value):
            loser = self._slot
            self._value, self._slot = value, slot
        if loser is not None:
            Slot(loser).discard()

    def _beats(self, value: float) -> bool:
        return self._value is None or self._objective.better(value, self._value)
