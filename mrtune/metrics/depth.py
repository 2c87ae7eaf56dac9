"""Depth: mean absolute and relative error."""

import torch
from torch import Tensor

from mrtune.metrics.accumulator import check_shapes
from mrtune.metrics.exact_mean import ExactMean

PERCENT = 100


class DepthMetrics:
    """Over the valid pixels of the whole split, those whose target is positive and finite.

    The absolute error has the unit of the target; the relative error is in percent of it.
    """

    def __init__(self) -> None:
        self._absolute = ExactMean()
        self._relative = ExactMean()

    def update(self, output: Tensor, target: Tensor) -> None:
        """Take predicted and true depths of one shape into account."""
        check_shapes(output, target)
        target = target.float()
        valid = (target > 0) & target.isfinite()
        error = (output.float() - target).abs()
        self._absolute.update(error, valid)
        self._relative.update(error / torch.where(valid, target, 1), valid)

    def compute(self) -> dict[str, float]:
        """Return both errors; NaN without a valid pixel, or if a prediction there is not finite."""
        return {
            "depth_abs_error": self._absolute.compute(),
            "depth_rel_error": PERCENT * self._relative.compute(),
        }
