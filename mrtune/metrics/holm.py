"""Holm's correction: of all differences called significant, none is so by chance, at the level."""

from collections.abc import Sequence
from math import isnan


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the corrected p of each; a NaN is a test that was not made, and stays NaN."""
    made = sorted((p, place) for place, p in enumerate(p_values) if not isnan(p))
    corrected = list(p_values)
    least = 0.0
    for done, (p, place) in enumerate(made):
        least = corrected[place] = max(least, min(1.0, (len(made) - done) * p))
    return corrected
