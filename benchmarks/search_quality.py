"""Whether a search finds what a grid finds, and with how many of its epochs.

Run with `make bench` or `python -m benchmarks.search_quality [--repeats 20]`. Searches propose from
search_spaces/fashion.yaml and are answered by the recorded training next to the proposal
(benchmarks/curves.jsonl, made by `benchmarks.record_curves`), one worker, one epoch at a time. The
answer of a search is the configuration with the best last score among those trained the longest;
its regret is what the grid's best is better by, both trained to the end.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean, stdev

import optuna

from benchmarks.curves import Curve, Point, read_curves
from benchmarks.machine import describe
from benchmarks.replay import first_seeds
from benchmarks.searchers import EPOCHS, SEARCHES, Epoch, Search

SHARES = (0.1, 0.25, 0.5)  # of the grid's epochs
Z_95 = 1.96


def answer(spent: Sequence[Epoch]) -> Point:
    """Return the configuration that a search would name, had it to stop now."""
    last = {epoch.trial: epoch for epoch in spent}
    return max(last.values(), key=lambda epoch: (epoch.number, epoch.score)).point


def regrets(
    search: Search, seed: int, curves: Mapping[Point, Curve], shares: Sequence[float]
) -> list[float]:
    """Return the regret of one search after each share of the grid's epochs."""
    best = max(curve.final for curve in curves.values())
    whole = len(curves) * EPOCHS
    spent = list(islice(search(seed, len(curves)), math.ceil(max(shares) * whole)))
    return [
        best - curves[answer(spent[: max(1, math.floor(share * whole))])].final for share in shares
    ]


def noise(curves: Sequence[Curve]) -> float:
    """Return the standard deviation over seeds, pooled over the configurations with several."""
    groups: dict[Point, list[float]] = {}
    for curve in curves:
        groups.setdefault(curve.point, []).append(curve.final)
    several = [values for values in groups.values() if len(values) > 1]
    squares = sum((v - fmean(values)) ** 2 for values in several for v in values)
    freedom = sum(len(values) - 1 for values in several)
    return math.sqrt(squares / freedom) if freedom else math.nan


def interval(values: Sequence[float]) -> str:
    """Write a mean with its 95 % confidence interval."""
    return f"{fmean(values):.4f} ± {Z_95 * stdev(values) / math.sqrt(len(values)):.4f}"


def main(repeats: int) -> None:
    """Print the table."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    curves, spread = first_seeds(), noise(read_curves())
    finals = sorted((curve.final for curve in curves.values()), reverse=True)
    whole = len(curves) * EPOCHS
    print(f"{describe()}; {repeats} repeats\n")
    print(f"The grid: {len(curves)} configurations of {EPOCHS} epochs, {whole} epochs. F-scores: ")
    print(f"best {finals[0]:.4f}, median {finals[len(finals) // 2]:.4f}, worst {finals[-1]:.4f}; ")
    if math.isnan(spread):
        print("no configuration is recorded with several seeds, so the noise is not known.\n")
    else:
        print(f"standard deviation over seeds of the best configurations {spread:.4f}.\n")
    heads = [f"{share:.0%}: {math.floor(share * whole)} epochs" for share in SHARES]
    print(f"| Regret after | {' | '.join(heads)} | within one deviation at {SHARES[1]:.0%} |")
    print(f"|---|{'---:|' * (len(SHARES) + 1)}")
    for name, search in SEARCHES.items():
        rows = [regrets(search, seed, curves, SHARES) for seed in range(repeats)]
        columns = list(zip(*rows, strict=True))
        within = f"{fmean(regret <= spread for regret in columns[1]):.0%}"
        cells = [*map(interval, columns), "?" if math.isnan(spread) else within]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    main(parser.parse_args().repeats)
