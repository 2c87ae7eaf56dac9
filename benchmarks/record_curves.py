"""Trains the fashion workload on the grid of benchmarks/fashion_grid.yaml and records every epoch.

Run with `nice -n 15 python -m benchmarks.record_curves`; stopped and started again, it goes on.
Last come further seeds of the best configurations: they tell what a difference is worth.
"""

import time
from collections.abc import Iterator
from typing import Any

import torch

from benchmarks.curves import GRID, Curve, append_curve, point_of, read_curves
from mrtune.search.space import Space, load_space
from mrtune.training.resolve import build_trainer, load_trainer

REPEATED = 4  # configurations that are trained on further seeds
SEEDS = (1, 2)
WORKLOAD = "fashion"


def record(config: dict[str, Any], seed: int) -> Curve:
    """Train one configuration."""
    started = time.process_time()
    trainer = build_trainer(load_trainer(WORKLOAD), config, seed, "cpu")
    reports = []
    while not trainer.finished:
        reports.append(trainer.step())
    return Curve(
        point=point_of(config),
        seed=seed,
        f_score=[round(report["f_score"], 5) for report in reports],
        completion=[round(report["roaming/completion"], 4) for report in reports],
        seconds=round(time.process_time() - started, 1),
    )


def missing(space: Space) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the trainings that are not recorded: the grid, then further seeds of its best.

    Each has to be recorded before the next is asked for: the best are looked up when the grid ends.
    """
    configs = {point_of(config): config for config in map(space.config, space.grid())}
    done = {(curve.point, curve.seed) for curve in read_curves()}
    yield from ((config, 0) for point, config in configs.items() if (point, 0) not in done)
    first = [curve for curve in read_curves() if curve.seed == 0 and curve.point in configs]
    best = sorted(first, key=lambda curve: -curve.final)[:REPEATED]
    for seed in SEEDS:
        yield from ((configs[c.point], seed) for c in best if (c.point, seed) not in done)


def main() -> None:
    """Record what is missing."""
    torch.set_num_threads(1)
    for config, seed in missing(load_space(GRID)):
        curve = record(config, seed)
        append_curve(curve)
        print(f"{config} seed {seed}: {curve.final:.4f} in {curve.seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
