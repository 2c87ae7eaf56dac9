"""Which parameters decide the result, by PED-ANOVA."""

import math
import warnings
from collections.abc import Mapping

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.trial import TrialState, create_trial

from mrtune.study.dimensions import Dimension
from mrtune.study.records import StudyRecord, TrialRecord

FEWEST = 20  # complete trials; fewer say nothing
MOST = 400  # Optuna takes half a millisecond for each
BEST_SHARE, BEST_AT_LEAST = 0.1, 5  # what sets the best trials apart is asked


def importances(record: StudyRecord, searched: Mapping[str, Dimension]) -> dict[str, float]:
    """Return each parameter's share in what sets the best trials apart, the largest first.

    Only complete trials count; where there are too few of them, nothing is returned, and of very
    many, some of every rank are looked at.
    """
    trials = _thinned([trial for trial in record.trials if _usable(trial)])
    distributions = {name: _distribution(d) for name, d in searched.items()}
    if len(trials) < FEWEST or not distributions:
        return {}
    study = optuna.create_study(directions=[o.direction for o in record.objectives])
    for trial in trials:
        study.add_trial(
            create_trial(
                state=TrialState.COMPLETE,
                params=dict(trial.params),
                distributions={name: distributions[name] for name in trial.params},
                values=trial.values,
            )
        )
    share = max(BEST_SHARE, BEST_AT_LEAST / len(trials))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where all values are equal, it says so and goes on
        return get_param_importances(
            study, evaluator=PedAnovaImportanceEvaluator(target_quantile=share)
        )


def _usable(trial: TrialRecord) -> bool:
    values = trial.values
    return trial.state == "complete" and bool(values) and all(map(math.isfinite, values or ()))


def _thinned(trials: list[TrialRecord]) -> list[TrialRecord]:
    """Leave out evenly, from the best to the worst."""
    ranked = sorted(trials, key=lambda trial: trial.values or ())
    kept = min(MOST, len(ranked))
    return [ranked[place * len(ranked) // kept] for place in range(kept)]


def _distribution(dimension: Dimension) -> BaseDistribution:
    if dimension.choices is not None:
        return CategoricalDistribution(dimension.choices)
    if dimension.whole:
        step = int(dimension.step or 1)
        return IntDistribution(int(dimension.low), int(dimension.high), dimension.log, step)
    return FloatDistribution(dimension.low, dimension.high, dimension.log, dimension.step)
