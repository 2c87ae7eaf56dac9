"""Δm: how much better than a baseline a method is, over all tasks."""

from collections.abc import Mapping, Sequence
from math import nan
from statistics import fmean

from mrtune.metrics.directions import DIRECTIONS, Direction, sign


def delta_m(
    scores: Mapping[str, float],
    baseline: Mapping[str, float],
    tasks: Sequence[Sequence[str]],
    directions: Mapping[str, Direction] = DIRECTIONS,
) -> float:
    """Return the improvement relative to the baseline in percent, averaged over tasks.

    A task is a list of metrics, over which its improvement is averaged first. More is always
    better, whatever the direction of a metric. NaN if a value is missing or a baseline is 0.
    """
    improvements = [
        fmean(_improvement(metric, scores, baseline, directions) for metric in task)
        for task in tasks
        if task
    ]
    return fmean(improvements) if improvements else nan


def _improvement(
    metric: str,
    scores: Mapping[str, float],
    baseline: Mapping[str, float],
    directions: Mapping[str, Direction],
) -> float:
    before, after = baseline.get(metric, nan), scores.get(metric, nan)
    if before == 0:
        return nan
    return 100 * sign(metric, directions) * (after - before) / abs(before)
