"""What a search will cost, and what it will try first."""

import itertools
import time
from typing import Any

import optuna
import torch

from mrtune.search.halving import epoch_ladder
from mrtune.search.samplers import proposer
from mrtune.search.space import Space, default_point
from mrtune.training import Training
from mrtune.training.resolve import build_trainer, load_trainer


def epochs_at_most(space: Space) -> float:
    """Return the epochs of all trainings, if none is stopped."""
    return configurations(space) * space.seeds * space.budget.epochs


def configurations(space: Space) -> int:
    """Count the configurations that will be tried."""
    return min(space.trials, len(space.grid())) if space.sampler == "grid" else space.trials


def epochs_expected(space: Space, grace: float) -> float:
    """Return the epochs that halving leaves: at each rung, one in `reduction` goes on."""
    if space.pruner != "asha" or len(space.objectives) > 1:
        return epochs_at_most(space)
    budget = space.budget
    levels = [0.0, *epoch_ladder(grace, budget.epochs, budget.reduction).levels, budget.epochs]
    alive = float(configurations(space))
    total = 0.0
    for before, after in itertools.pairwise(levels):
        total += alive * (after - before)
        alive = max(1.0, alive / budget.reduction)
    seeds = space.seeds - 1
    return total + seeds * alive * budget.epochs


def pace(
    space: Space, config: dict[str, Any], seed: int, threads: int, seconds: float
) -> float | None:
    """Train the typical configuration for a moment; return epochs a second, where we can tell."""
    trainer = build_trainer(load_trainer(space.trainer), config, seed, "cpu")
    if not isinstance(trainer, Training):
        return None
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        started = time.perf_counter()
        while time.perf_counter() - started < seconds and not trainer.finished:
            trainer.advance(seconds)
        return trainer.epoch / (time.perf_counter() - started)
    finally:
        torch.set_num_threads(before)


def first_configs(space: Space, seed: int, count: int) -> list[dict[str, Any]]:
    """Return the first configurations that will be proposed; later ones depend on results."""
    count = min(count, configurations(space))
    if space.sampler == "grid":
        return [dict(point) for point in space.grid()[:count]]
    study = optuna.create_study(directions=[o.direction for o in space.objectives])
    proposals = proposer(space.sampler, seed, space.trials, len(space.objectives))
    first = default_point(space)
    params = []
    for number in range(count):
        study.sampler = proposals.sampler(number)
        if number == 0 and first is not None:
            study.enqueue_trial(first)
        trial = study.ask()
        space.suggest(trial)
        params.append(trial.params)
    return params
