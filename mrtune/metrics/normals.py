"""Surface normals: mean and median angle between prediction and target."""

import math

import torch
from torch import Tensor

from mrtune.metrics.accumulator import check_shapes

AXES = 3
STEPS = 2**19  # to a right angle
STRAIGHT = 2 * STEPS  # the step of 180°
BROKEN, UNKNOWN = STRAIGHT + 1, STRAIGHT + 2  # what is not an angle is counted apart


class NormalMetrics:
    """Over all valid pixels of the split, those whose target is finite and not the 0-vector.

    Pixels are counted in a histogram (8 MB, whatever the size of the split) from which both figures
    are read. Its coordinate is a stand-in for the angle that needs no trigonometry, since a
    pixel's atan2 depends in the last bit on its place in the batch. The steps are finer than
    0.00022°, so either figure is within 0.0002° of the same over unrounded angles; of rounded
    ones, the median is exact. Vectors need not be of length 1; a predicted 0-vector is 90° off.
    """

    def __init__(self) -> None:
        self._histogram = torch.zeros(UNKNOWN + 1, dtype=torch.long)

    def update(self, output: Tensor, target: Tensor) -> None:
        """Take predicted and true normals [image, 3, …] into account."""
        check_shapes(output, target, AXES)
        target = target.float()
        known = target.isfinite().all(dim=1) & (target != 0).any(dim=1)
        turn = _turn(_of_size_one(output.detach().float()), _of_size_one(target))
        step = (turn * STEPS).round()
        step = torch.where(step.isnan(), BROKEN, step)
        step = torch.where(known, step, UNKNOWN).long().flatten()
        histogram = self._histogram.to(step.device)
        self._histogram = histogram.scatter_add_(0, step, torch.ones_like(step))

    def compute(self) -> dict[str, float]:
        """Return both angles in degrees; NaN without a valid pixel or if a prediction is broken."""
        histogram = self._histogram.cpu()
        counts, broken = histogram[:BROKEN], int(histogram[BROKEN])
        total = int(counts.sum())
        if not total or broken:
            return {"normals_mean_angle": math.nan, "normals_median_angle": math.nan}
        steps = counts.nonzero().squeeze(1)
        counts, angles = counts[steps], _degrees(steps)
        middles = torch.tensor([(total - 1) // 2, total // 2])
        median = angles[torch.searchsorted(counts.cumsum(0), middles, right=True)]
        return {
            "normals_mean_angle": math.fsum((counts * angles).tolist()) / total,
            "normals_median_angle": float(median.mean()),
        }


def _of_size_one(vectors: Tensor) -> Tensor:
    """Scale vectors so that their largest component is 1: nothing overflows from there on."""
    largest = vectors.abs().amax(dim=1, keepdim=True)
    return vectors / torch.where(largest == 0, 1, largest)


def _turn(one: Tensor, other: Tensor) -> Tensor:
    """Return the way around a diamond, 0 to 2, that the angle of two vectors is around a circle.

    Made of operations that IEEE 754 rounds correctly, so each pixel gives the same everywhere.
    """
    (ax, ay, az), (bx, by, bz) = one.unbind(dim=1), other.unbind(dim=1)
    cosine = ax * bx + ay * by + az * bz
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    sine = (x * x + y * y + z * z).sqrt()
    around = cosine.abs() + sine
    turn = torch.where(around == 0, 1, sine / torch.where(around == 0, 1, around))
    return torch.where(cosine < 0, 2 - turn, turn)


def _degrees(step: Tensor) -> Tensor:
    """Return the angles of steps around the diamond."""
    turn = step.double() / STEPS
    return torch.atan2(1 - (1 - turn).abs(), 1 - turn).rad2deg()
