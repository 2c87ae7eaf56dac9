"""Student's t distribution for whole degrees of freedom, in closed form.

A sum of at most df / 2 terms (Abramowitz & Stegun 26.7.3 and 26.7.4) is all that tests over seeds
need; scipy would be a dependency of 110 MB for it.
"""

from math import atan, cos, pi, sin, sqrt, tan


def two_sided_p(t: float, df: int) -> float:
    """Return the probability of a value at least as far from 0 as t; exact to about 1e-15."""
    return max(0.0, 1.0 - _within(atan(abs(t) / sqrt(df)), df))


def two_sided_quantile(confidence: float, df: int) -> float:
    """Return the t that a value stays within with this probability."""
    low, high = 0.0, pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _within(middle, df) < confidence else (low, middle)
    return sqrt(df) * tan(low)


def _within(theta: float, df: int) -> float:
    """Return P(|T| < √df·tan θ)."""
    odd = df % 2
    term = cos(theta) if odd else 1.0
    total = 0.0
    for k in range(1 + odd, df, 2):
        total += term
        term *= k / (k + 1) * cos(theta) ** 2
    total *= sin(theta)
    return 2 / pi * (theta + total) if odd else total
