"""One-way analysis of variance: do groups differ by more than the noise within them?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, lgamma, log, log1p, nan, sqrt
from statistics import fmean, stdev

from mrtune.metrics.student import two_sided_quantile

SMALL = 1e-300  # keeps a fraction from dividing by 0
CLOSE = 1e-15
MOST_TERMS = 10_000


@dataclass(frozen=True)
class Anova:
    """How groups differ; NaN where it takes more groups, or more values in them, to say."""

    between: float  # std of the groups' means
    within: float  # pooled std inside groups
    expected: float  # what noise alone would make of `between`
    f: float
    groups: int
    values: int
    p: float  # that noise alone makes an F at least as large

    def margin(self, n: int, m: int, confidence: float = 0.95) -> float:
        """Return how far the means of n and of m values may be apart by noise alone."""
        if not isfinite(self.within):
            return nan
        quantile = two_sided_quantile(confidence, self.values - self.groups)
        return quantile * self.within * sqrt(1 / n + 1 / m)


def anova(groups: Sequence[Sequence[float]]) -> Anova:
    """Compare the spread of groups' means with the spread inside them."""
    means = [fmean(group) for group in groups]
    sizes = [len(group) for group in groups]
    values = sum(sizes)
    between = stdev(means) if len(groups) > 1 else nan
    freedom = values - len(groups)
    if not freedom:
        return Anova(between, nan, nan, nan, len(groups), values, nan)
    inside = sum((x - m) ** 2 for group, m in zip(groups, means, strict=True) for x in group)
    within = sqrt(inside / freedom)
    expected = within * sqrt(fmean(1 / size for size in sizes))
    if len(groups) < 2:
        return Anova(between, within, expected, nan, len(groups), values, nan)
    middle = fmean(x for group in groups for x in group)
    outside = sum(n * (m - middle) ** 2 for n, m in zip(sizes, means, strict=True))
    variance = outside / (len(groups) - 1)
    f = variance / within**2 if within else (inf if variance else 0.0)
    p = f_tail(f, len(groups) - 1, freedom)
    return Anova(between, within, expected, f, len(groups), values, p)


def f_tail(f: float, between: int, within: int) -> float:
    """Return the probability that an F with these degrees of freedom is larger."""
    if f <= 0:
        return 1.0
    return 0.0 if f == inf else _beta(within / (within + between * f), within / 2, between / 2)


def _beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function (DLMF 8.17.22)."""
    if x > (a + 1) / (a + b + 2):  # where the fraction is slow, its mirror image is quick
        return 1 - _beta(1 - x, b, a)
    if x <= 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction by the algorithm of Lentz."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        before = value
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            value *= c * d
        if abs(value - before) < CLOSE * abs(value):
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > SMALL else SMALL
