"""The paper's summary of a table: the average rank of each method over the metrics."""

from collections.abc import Collection, Mapping, Sequence
from math import isnan, nan
from statistics import fmean

from mrtune.metrics.directions import DIRECTIONS, Direction, sign

Scores = Mapping[str, Mapping[str, float]]  # method → metric → value


def average_rank(
    scores: Scores,
    metrics: Sequence[str],
    exclude: Collection[str] = ("stl",),
    directions: Mapping[str, Direction] = DIRECTIONS,
) -> dict[str, float]:
    """Rank the methods by each metric, 1 for the best, and average over the metrics.

    Equal values share the average of their ranks. A value that is missing or NaN ranks last.
    Excluded methods take no rank and get none; no metric at all is a rank of NaN.
    """
    methods = [method for method in scores if method not in exclude]
    by_metric = []
    for metric in metrics:
        gain = sign(metric, directions)
        by_metric.append(ranks([-gain * scores[method].get(metric, nan) for method in methods]))
    return {
        method: fmean(column[place] for column in by_metric) if by_metric else nan
        for place, method in enumerate(methods)
    }


def ranks(values: Sequence[float]) -> list[float]:
    """Number values from 1, the smallest first, ties on average, NaN last."""
    keys = [(isnan(value), 0.0 if isnan(value) else value) for value in values]
    return [
        sum(other < key for other in keys) + (sum(other == key for other in keys) + 1) / 2
        for key in keys
    ]
