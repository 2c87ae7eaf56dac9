"""Curves of many trials on one axis of epochs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrtune.study import TrialRecord

Floats = NDArray[np.float64]
MOST_EPOCHS = 200


@dataclass(frozen=True)
class Matrix:
    """A metric of trials, a row each."""

    epochs: Floats  # [report]
    values: Floats  # [trial, report], NaN where a trial has reported nothing


def matrix(trials: Sequence[TrialRecord], metric: str) -> Matrix:
    """Lay the curves of a metric out by epoch.

    Epochs are merged into `MOST_EPOCHS` steps where there are more; the last report of a step
    stands for it.
    """
    rows, epochs, values = [], [], []
    for row, trial in enumerate(trials):
        curve = trial.curves.get(metric)
        if curve:
            epochs.append(np.array(trial.curves["epoch"], float))
            values.append(np.array(curve, float))
            rows.append(np.full(len(curve), row))
    if not rows:
        return Matrix(np.empty(0), np.empty((len(trials), 0)))
    row_of, epoch_of = np.concatenate(rows), np.concatenate(epochs).round(6)
    value_of = np.concatenate(values)
    known = np.isfinite(epoch_of) & np.isfinite(value_of)
    row_of, epoch_of, value_of = row_of[known], epoch_of[known], value_of[known]
    axis, place = np.unique(epoch_of, return_inverse=True)
    if len(axis) > MOST_EPOCHS:
        step = axis[-1] / MOST_EPOCHS
        axis = step * np.arange(1, MOST_EPOCHS + 1)
        place = np.clip(np.ceil(epoch_of / step).astype(int) - 1, 0, MOST_EPOCHS - 1)
    found = np.full((len(trials), len(axis)), np.nan)
    found[row_of, place] = value_of
    return Matrix(axis, found)


def quantiles(values: Floats, shares: Sequence[float]) -> tuple[Floats, NDArray[np.int64]]:
    """Return quantiles of each column, [share, column], NaNs left out, and how many there are."""
    ordered = np.sort(values, axis=0)  # NaNs last
    counts = np.isfinite(values).sum(axis=0)
    columns = np.arange(values.shape[1])
    found = np.full((len(shares), values.shape[1]), np.nan)
    for row, share in enumerate(shares):
        place = share * np.maximum(counts - 1, 0)
        low = np.floor(place).astype(int)
        high = np.minimum(low + 1, np.maximum(counts - 1, 0))
        if len(ordered):
            below, above = ordered[low, columns], ordered[high, columns]
            found[row] = below + (above - below) * (place - low)
    return found, counts


def good_range(values: Floats, direction: str) -> tuple[float, float]:
    """Return the range that an axis shows: all the good values, but of the bad not the outliers."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    tenth, last = (float(q) for q in np.quantile(finite, (0.1, 0.9)))
    if direction == "maximize":
        return max(low, tenth - (last - tenth)), high
    return low, min(high, last + (last - tenth))


def padded(low: float, high: float, share: float = 0.05) -> list[float]:
    """Widen a range a little, so that nothing lies on the edge."""
    gap = (high - low) * share or abs(high) * share or share
    return [low - gap, high + gap]
