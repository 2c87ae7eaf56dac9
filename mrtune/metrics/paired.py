"""Is one method better than another, given both on the same seeds?

The paired t-test is the default. With n seeds the exact signed-rank test cannot give less than
2 / 2^n: 0.25 for three seeds, 0.0625 for five, and under Holm's correction for ten comparisons no
fewer than nine seeds can ever be significant. The t-test uses the sizes of the differences, at the
price of taking them for normal, which metrics over a large split are nearly. The signed-rank test
is there to check that price once there are enough seeds.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, inf, isfinite, nan, sqrt
from statistics import fmean, stdev

from mrtune.errors import ParameterError
from mrtune.metrics.ranks import ranks
from mrtune.metrics.student import two_sided_p, two_sided_quantile


@dataclass(frozen=True)
class Paired:
    """What the differences of two methods over common seeds say."""

    n: int  # seeds in common
    difference: float  # mean
    low: float  # confidence interval of the mean difference
    high: float
    effect: float  # Cohen's d_z: the mean in standard deviations of the differences
    p: float  # two-sided, not corrected


def paired(
    method: Mapping[int, float],
    reference: Mapping[int, float],
    test: str = "t",
    confidence: float = 0.95,
) -> Paired:
    """Compare two methods, each given as seed → value, on the seeds that they have in common.

    No seed in common or a value that is not finite: everything is NaN, for leaving a diverged seed
    out would flatter its method. One seed: a difference, and NaN for the rest. Differences that
    are all alike: an interval of no width, and p = 1 if they are 0, else the limit of the test.
    """
    if test not in TESTS:
        raise ParameterError("test", f"one of {', '.join(TESTS)}", test)
    if not 0 < confidence < 1:
        raise ParameterError("confidence", "a number between 0 and 1", confidence)
    differences = [method[seed] - reference[seed] for seed in sorted(method.keys() & reference)]
    n = len(differences)
    if not n or not all(map(isfinite, differences)):
        return Paired(n, nan, nan, nan, nan, nan)
    mean = fmean(differences)
    if n == 1:
        return Paired(n, mean, nan, nan, nan, nan)
    spread = stdev(differences)
    margin = two_sided_quantile(confidence, n - 1) * spread / sqrt(n)
    p = TESTS[test](differences)
    return Paired(n, mean, mean - margin, mean + margin, _over(mean, spread), p)


def t_test(differences: Sequence[float]) -> float:
    """Return the p of the paired t-test."""
    n = len(differences)
    t = _over(fmean(differences) * sqrt(n), stdev(differences))
    return two_sided_p(t, n - 1)


def signed_rank_test(differences: Sequence[float]) -> float:
    """Return the p of Wilcoxon's test from its exact distribution, ties included.

    Differences of 0 are left out; if nothing is left, p is 1.
    """
    moved = [difference for difference in differences if difference]
    doubled = [round(2 * rank) for rank in ranks([abs(difference) for difference in moved])]
    observed = sum(rank for rank, difference in zip(doubled, moved, strict=True) if difference > 0)
    sums = Counter({0: 1})  # how many choices of signs give a sum of positive ranks
    for rank in doubled:
        sums += Counter({total + rank: ways for total, ways in sums.items()})
    tail = min(observed, sum(doubled) - observed)
    ways = sum(count for total, count in sums.items() if total <= tail)
    return min(1.0, ways / 2.0 ** (len(moved) - 1))


TESTS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "t": t_test,
    "signed-rank": signed_rank_test,
}


def _over(mean: float, spread: float) -> float:
    """Divide, by the limit where there is no spread."""
    if spread:
        return mean / spread
    return copysign(inf, mean) if mean else 0.0
