"""Which way each metric gets better."""

from collections.abc import Mapping
from typing import Literal

from mrtune.errors import ParameterError

Direction = Literal["maximize", "minimize"]

DIRECTIONS: Mapping[str, Direction] = {
    "loss": "minimize",
    "precision": "maximize",
    "recall": "maximize",
    "f_score": "maximize",
    "f": "maximize",
    "accuracy": "maximize",
    "miou": "maximize",
    "iou": "maximize",
    "pixel_accuracy": "maximize",
    "depth_abs_error": "minimize",
    "depth_rel_error": "minimize",
    "normals_mean_angle": "minimize",
    "normals_median_angle": "minimize",
}


def sign(metric: str, directions: Mapping[str, Direction] = DIRECTIONS) -> int:
    """Return 1 where more is better and −1 where less is; `f/<attribute>` goes the way of `f`."""
    direction = directions.get(metric) or directions.get(metric.partition("/")[0])
    if direction is None:
        raise ParameterError("metric", f"one of {', '.join(directions)}", metric)
    return 1 if direction == "maximize" else -1
