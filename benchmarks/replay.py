"""A trainer that replays recorded curves: an epoch of the fashion workload in no time."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.curves import FILE, GRID, Curve, Point, nearest, point_of, read_curves
from mrtune.search.space import load_space

DEFAULTS: dict[str, Any] = {"epochs": 8}


class Replay:
    """One recorded training."""

    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        self._epoch = 0

    @property
    def finished(self) -> bool:
        """Whether the recording is at its end."""
        return self._epoch >= len(self._curve.f_score)

    def step(self) -> dict[str, float]:
        """Return what the next epoch reported."""
        self._epoch += 1
        return {
            "epoch": float(self._epoch),
            "f_score": self._curve.f_score[self._epoch - 1],
            "roaming/completion": self._curve.completion[self._epoch - 1],
        }

    def evaluate(self, split: str) -> dict[str, float]:  # noqa: ARG002
        """Nothing but the reports was recorded."""
        return {}

    def state(self) -> dict[str, Any]:
        """Return the place in the recording."""
        return {"epoch": self._epoch}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a place in the recording."""
        self._epoch = state["epoch"]


def build(config: Mapping[str, Any], seed: int, device: str) -> Replay:  # noqa: ARG001
    """Find the recording next to a configuration; all searches replay its first seed."""
    return Replay(first_seeds()[nearest(config, first_seeds())])


@cache
def first_seeds() -> dict[Point, Curve]:
    """Return the trainings of the grid with seed 0, by configuration."""
    recorded = {curve.point: curve for curve in read_curves() if curve.seed == 0}
    points = [point_of(point) for point in load_space(GRID).grid()]
    lacking = sum(point not in recorded for point in points)
    if lacking:
        raise SystemExit(
            f"{FILE.name} lacks {lacking} configurations: `python -m benchmarks.record_curves`"
        )
    return {point: recorded[point] for point in points}
