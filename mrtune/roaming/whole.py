"""Whole numbers from products of decimals: 0.07 · 100 is 7, whatever the floats say."""

import math

TOLERANCE = 1e-9


def ceil(value: float) -> int:
    """Round up, unless the value is a hair above a whole number."""
    return math.ceil(value - TOLERANCE)


def floor(value: float) -> int:
    """Round down, unless the value is a hair below a whole number."""
    return math.floor(value + TOLERANCE)
