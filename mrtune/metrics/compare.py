"""Methods over seeds: mean ± std, and which differences are more than chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from statistics import fmean, stdev

from mrtune.errors import ParameterError
from mrtune.metrics.directions import DIRECTIONS, Direction, sign
from mrtune.metrics.holm import holm
from mrtune.metrics.paired import Paired, paired

Results = Mapping[str, Mapping[int, Mapping[str, float]]]  # method → seed → metric → value


@dataclass(frozen=True)
class Summary:
    """A metric over seeds."""

    mean: float
    std: float  # of the sample (over n - 1); NaN for a single seed
    n: int


@dataclass(frozen=True)
class Comparison:
    """A method against the reference by one metric; a positive difference is for the better."""

    method: str
    metric: str
    paired: Paired
    p_holm: float  # corrected for all comparisons made together


def summarise(values: Sequence[float]) -> Summary:
    """Return mean and std; both are NaN if a value is not finite: a diverged seed is not hidden."""
    n = len(values)
    if not n or not all(map(isfinite, values)):
        return Summary(nan, nan, n)
    return Summary(fmean(values), stdev(values) if n > 1 else nan, n)


def summaries(results: Results, metrics: Sequence[str]) -> dict[str, dict[str, Summary]]:
    """Summarise every method by every metric, over the seeds that report it."""
    return {
        method: {metric: summarise(list(_by_seed(seeds, metric).values())) for metric in metrics}
        for method, seeds in results.items()
    }


def compare(
    results: Results,
    reference: str,
    metrics: Sequence[str],
    test: str = "t",
    confidence: float = 0.95,
    directions: Mapping[str, Direction] = DIRECTIONS,
) -> list[Comparison]:
    """Compare every other method with the reference by every metric, as one family of tests."""
    if reference not in results:
        raise ParameterError("reference", f"one of {', '.join(results)}", reference)
    cells = [(method, metric) for method in results if method != reference for metric in metrics]
    found = []
    for method, metric in cells:
        gain = sign(metric, directions)
        ours, theirs = (
            {seed: gain * value for seed, value in _by_seed(results[name], metric).items()}
            for name in (method, reference)
        )
        found.append(paired(ours, theirs, test, confidence))
    corrected = holm([outcome.p for outcome in found])
    return [
        Comparison(method, metric, outcome, p)
        for (method, metric), outcome, p in zip(cells, found, corrected, strict=True)
    ]


def _by_seed(seeds: Mapping[int, Mapping[str, float]], metric: str) -> dict[int, float]:
    return {seed: report[metric] for seed, report in seeds.items() if metric in report}
