"""A mean of float32 values that does not depend on the order in which they come."""

import torch
from torch import Tensor

# A float32 is m / 2^(150 - e) with a whole m < 2^24 and a stored e < 256 (m / 2^149 if e is 0).
EXPONENTS = 256
MANTISSA_BITS = 23
SCALE = 149
NOT_FINITE = EXPONENTS - 1


class ExactMean:
    """The correctly rounded mean of non-negative float32 values.

    Mantissas are summed as whole numbers, apart for each exponent, so nothing is ever rounded. The
    sums cannot overflow below 2^39 values.
    """

    def __init__(self) -> None:
        self._sums = torch.zeros(EXPONENTS, dtype=torch.long)
        self._count = torch.zeros((), dtype=torch.long)

    def update(self, values: Tensor, counted: Tensor) -> None:
        """Take the values into account where `counted`."""
        values = torch.where(counted, values.detach().float().abs(), 0)
        bits = values.flatten().view(torch.int32).long()
        exponent = (bits >> MANTISSA_BITS) & NOT_FINITE
        mantissa = bits & ((1 << MANTISSA_BITS) - 1) | ((exponent > 0).long() << MANTISSA_BITS)
        self._sums = self._sums.to(values.device).scatter_add_(0, exponent, mantissa)
        self._count = self._count.to(values.device) + counted.sum()

    def compute(self) -> float:
        """Return the mean; NaN if there was nothing, or something not finite."""
        sums, count = self._sums.tolist(), int(self._count)
        if not count or sums[NOT_FINITE]:
            return float("nan")
        total = sum(part << max(exponent - 1, 0) for exponent, part in enumerate(sums))
        return float(total / (count << SCALE))
