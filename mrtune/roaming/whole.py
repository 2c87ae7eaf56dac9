"""Whole numbers from products of decimals: 0.07 · 100 is 7, whatever the floats say."""

import math

TOLERANCE = 1e-9


def ceil(value: float) -> int:
    """Round up, unless the value is a hair above a whole number."""
    return math.ceil(value - _hair(value))


def floor(value: float) -> int:
    """Round down, unless the value is a hair below a whole number."""
    return math.floor(value + _hair(value))


def _hair(value: float) -> float:
    """Return what a rounded product or quotient may be off by."""
    return max(TOLERANCE, 4 * math.ulp(value))
