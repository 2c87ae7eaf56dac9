"""TPE for very many trials.

Its time for a proposal grows with the trials that it looks at. It models the best 25 of them and
the rest, and of a rest of many thousands a random part says as much.
"""

from collections.abc import Container
from functools import cached_property
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import TPESampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

ENOUGH = 400  # finished trials to look at, and a quarter as many that run
BEST = 100  # of them, those that are in any case
LOOKED_AT = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.RUNNING)


class ThinnedTPE(TPESampler):
    """Makes one proposal."""

    def __init__(self, seed: int, **options: Any) -> None:
        super().__init__(seed=seed, **options)
        self._part_seed = seed
        self._few: Few | None = None

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the parameters that are proposed together."""
        return super().infer_relative_search_space(self._thin(study), trial)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Propose them."""
        return super().sample_relative(self._thin(study), trial, search_space)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Propose one of the others."""
        return super().sample_independent(self._thin(study), trial, param_name, param_distribution)

    def _thin(self, study: optuna.Study) -> Any:
        if len(study.directions) > 1:
            return study
        self._few = self._few or Few(study, self._part_seed)
        return self._few


class Few:
    """A study that shows only some of its trials."""

    def __init__(self, study: optuna.Study, seed: int) -> None:
        self._study = study
        self._seed = seed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._study, name)

    def _get_trials(
        self,
        deepcopy: bool = False,  # noqa: ARG002  # nobody asks for copies
        states: Container[TrialState] | None = None,
        use_cache: bool = True,  # noqa: ARG002
    ) -> list[FrozenTrial]:
        return [t for t in self._shown if states is None or t.state in states]

    @cached_property
    def _shown(self) -> list[FrozenTrial]:
        complete, pruned, running = (
            self._study._get_trials(deepcopy=False, states=(state,)) for state in LOOKED_AT
        )
        ranked = self._ranked(complete)
        best, rest = ranked[:BEST], ranked[BEST:] + pruned
        shown = best + self._some(rest, ENOUGH - BEST) + self._some(running, ENOUGH // 4)
        return sorted(shown, key=lambda trial: trial.number)

    def _ranked(self, complete: list[FrozenTrial]) -> list[FrozenTrial]:
        highest = self._study.direction == StudyDirection.MAXIMIZE
        return sorted(complete, key=lambda trial: trial.values[0], reverse=highest)

    def _some(self, trials: list[FrozenTrial], enough: int) -> list[FrozenTrial]:
        if len(trials) <= enough:
            return trials
        draw = np.random.default_rng(self._seed)
        return [trials[place] for place in draw.choice(len(trials), enough, replace=False)]
