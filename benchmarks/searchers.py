"""Searches of the recorded curves, one epoch after the other, by our engine and by others."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import optuna

from benchmarks.curves import Point, nearest
from benchmarks.replay import Replay, build, first_seeds
from benchmarks.sweeps import open_sweep
from mrtune.search.outcome import Outcome
from mrtune.search.space import Space, load_space

REPLAY = str(Path(__file__).with_name("replay.py"))
EPOCHS, GRACE, REDUCTION = 8, 2, 2  # `mrtune validate fashion`


@dataclass(frozen=True)
class Epoch:
    """An epoch that a search has spent."""

    trial: int
    point: Point
    number: int  # from 1 on
    score: float


Search = Callable[[int, int], Iterator[Epoch]]  # of a seed and the number of trials at most


def shipped_space(trials: int, **changes: Any) -> Space:
    """Return search_spaces/fashion.yaml with recordings in place of trainings."""
    return load_space("fashion", [("trainer", REPLAY), ("trials", trials), *changes.items()])


def ours(sampler: str, pruner: str) -> Search:
    """Search with the sweep of mrtune, its proposals and its rules."""

    def search(seed: int, trials: int) -> Iterator[Epoch]:
        space = shipped_space(trials, sampler=sampler, pruner=pruner)
        with (
            tempfile.TemporaryDirectory() as folder,
            open_sweep(Path(folder), space, GRACE, seed) as sweep,
        ):
            while not sweep.over() and (job := sweep.next_job()):
                replay, stopped = build(job.setting, job.seed, "cpu"), False
                for number in range(EPOCHS):
                    report = replay.step()
                    yield _epoch(job.number, job.setting, report)
                    stopped = sweep.take(job.number, Outcome([report], number))
                    if stopped:
                        break
                if not stopped:
                    sweep.take(job.number, Outcome(first=EPOCHS, finished={}))

    return search


def shuffled_grid(seed: int, trials: int) -> Iterator[Epoch]:
    """Train every configuration of the grid to its end, in a random order."""
    curves = list(first_seeds().values())
    for trial, index in enumerate(np.random.default_rng(seed).permutation(len(curves))[:trials]):
        curve = curves[index]
        for number, score in enumerate(curve.f_score, 1):
            yield Epoch(trial, curve.point, number, score)


def plain_optuna(seed: int, trials: int) -> Iterator[Epoch]:
    """Search with Optuna's own TPE and successive halving."""
    space = shipped_space(trials)
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=optuna.pruners.SuccessiveHalvingPruner(GRACE, REDUCTION),
    )
    for _ in range(trials):
        trial = study.ask()
        config = space.suggest(trial)
        replay = build(config, 0, "cpu")
        report: dict[str, float] = {}
        pruned = False
        while not replay.finished and not pruned:
            report = replay.step()
            yield _epoch(trial.number, config, report)
            trial.report(report["f_score"], int(report["epoch"]))
            pruned = trial.should_prune() and not replay.finished
        state = optuna.trial.TrialState.PRUNED if pruned else None
        study.tell(trial, None if pruned else report["f_score"], state)


def ray_tune(seed: int, trials: int) -> Iterator[Epoch]:
    """Search with Ray Tune's OptunaSearch and ASHAScheduler, called as its controller does."""
    from ray.tune.schedulers import ASHAScheduler, TrialScheduler  # noqa: PLC0415
    from ray.tune.search.optuna import OptunaSearch  # noqa: PLC0415

    space = shipped_space(trials)
    search = OptunaSearch(space.suggest, metric="f_score", mode="max", seed=seed)
    scheduler: Any = ASHAScheduler(
        metric="f_score",
        mode="max",
        max_t=EPOCHS,
        grace_period=GRACE,
        reduction_factor=REDUCTION,
    )
    for number in range(trials):
        trial = SimpleNamespace(trial_id=str(number))
        config = search.suggest(trial.trial_id) or {}
        scheduler.on_trial_add(None, trial)
        replay = build(config, 0, "cpu")
        for report in _reports(replay):
            yield _epoch(number, config, report)
            result: dict[str, Any] = {**report, "training_iteration": int(report["epoch"])}
            verdict = scheduler.on_trial_result(None, trial, result)
            if verdict == TrialScheduler.STOP:
                search.on_trial_complete(trial.trial_id, result)
                break
            search.on_trial_result(trial.trial_id, result)


SEARCHES: dict[str, Search] = {
    "mrtune: TPE, ASHA": ours("tpe", "asha"),
    "mrtune: TPE, no pruning": ours("tpe", "none"),
    "mrtune: random, ASHA": ours("random", "asha"),
    "mrtune: random, no pruning": ours("random", "none"),
    "Ray Tune: OptunaSearch, ASHAScheduler": ray_tune,
    "Optuna: TPE, successive halving": plain_optuna,
    "grid, in a random order": shuffled_grid,
}


def _reports(replay: Replay) -> Iterator[dict[str, float]]:
    while not replay.finished:
        yield replay.step()


def _epoch(trial: int, config: dict[str, Any], report: dict[str, float]) -> Epoch:
    point = nearest(config, first_seeds())
    return Epoch(trial, point, int(report["epoch"]), report["f_score"])
