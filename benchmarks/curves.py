"""Training curves of the fashion workload on a grid, as `benchmarks.record_curves` wrote them."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("curves.jsonl")
GRID = str(Path(__file__).with_name("fashion_grid.yaml"))
AXES = ("lr", "p", "r", "finish_at")

Point = tuple[float | None, ...]  # a value on each axis; None where it does not matter


@dataclass(frozen=True)
class Curve:
    """One training: the F-score and the share of the plan that is done, at each epoch."""

    point: Point
    seed: int
    f_score: list[float]
    completion: list[float]
    seconds: float  # of CPU time

    @property
    def final(self) -> float:
        """The F-score of the whole training."""
        return self.f_score[-1]


def point_of(config: Mapping[str, Any]) -> Point:
    """Return the place of a configuration in the space."""
    return tuple(None if axis not in config else float(config[axis]) for axis in AXES)


def nearest(config: Mapping[str, Any], points: Iterable[Point]) -> Point:
    """Return the point of the grid next to a configuration: axis by axis, r before finish_at."""
    left = list(points)
    for index, axis in enumerate(AXES):
        values = {point[index] for point in left} - {None}
        if values:
            distance = _log_distance if axis == "lr" else _distance
            closest = min(values, key=lambda value: distance(value or 0.0, config[axis]))
            left = [point for point in left if point[index] in {closest, None}]
    (found,) = left
    return found


def read_curves(file: Path = FILE) -> list[Curve]:
    """Read all trainings; a line that was torn off by a kill is left out."""
    curves = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.endswith("}"):
            content = json.loads(line)
            curves.append(Curve(**content | {"point": tuple(content["point"])}))
    return curves


def append_curve(curve: Curve, file: Path = FILE) -> None:
    """Add a training, on a line of its own even after a torn one."""
    with file.open("a+", encoding="utf-8") as stream:
        stream.seek(0)
        torn = not (stream.read() or "\n").endswith("\n")
        stream.write("\n" * torn + json.dumps(asdict(curve)) + "\n")


def _distance(one: float, other: float) -> float:
    return abs(one - other)


def _log_distance(one: float, other: float) -> float:
    return abs(math.log(one / other))
