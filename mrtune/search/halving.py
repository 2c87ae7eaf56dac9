"""Asynchronous successive halving that knows roaming and seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from mrtune.study.records import Objective, Rung


@dataclass(frozen=True)
class Ladder:
    """The points at which trials are compared."""

    levels: tuple[float, ...]  # epochs, or shares of the plan
    reduction: int

    def due(self, passed: int, progress: float) -> list[int]:
        """Return the rungs that a trial has come to since it passed so many."""
        reached = sum(level <= progress + 1e-9 for level in self.levels)
        return list(range(passed, reached))


def epoch_ladder(grace: float, epochs: float, reduction: int) -> Ladder:
    """Put the first rung at the end of the grace, each next one `reduction` times further."""
    levels = []
    level = grace
    while level < epochs - 1e-9:
        levels.append(level)
        level *= reduction
    return Ladder(tuple(levels), reduction)


def completion_ladder(reduction: int) -> Ladder:
    """Put a rung at the end of the plan, and at a reduction-th of it and of that."""
    return Ladder(tuple(reduction**-step for step in (2, 1, 0)), reduction)


def judge(
    value: float,
    rung: int,
    epoch: float,
    same: Sequence[float],
    rivals: Sequence[float],
    objective: Objective,
    reduction: int,
) -> Rung:
    """Decide whether a trial goes on from a rung.

    A configuration is judged by its mean over seeds, of which `same` are the other values at this
    rung so far, and is kept if it is among the best `1 / reduction` with its rivals' means.
    """
    mean = fmean([*same, value])
    ranked = sorted([*rivals, mean], reverse=objective.direction == "maximize")
    threshold = ranked[max(1, len(ranked) // reduction) - 1]
    kept = not objective.better(threshold, mean)
    return Rung(rung, epoch, value, threshold if rivals else None, kept)
