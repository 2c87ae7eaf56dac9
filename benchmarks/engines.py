"""Searches of the trivial space with two workers, by our engine and by what else there is.

`python -m benchmarks.engines mrtune 40` runs one of them in a fresh process and prints one JSON
object: when trials ended, in seconds after the search began, when it was over, and the peak memory
of this process. Ray itself is up by then, its actors are not; Optuna's processes have to start too.
"""

import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import optuna

from benchmarks.driver import SPACE, peak_megabytes
from benchmarks.trivial import score
from mrtune.search.ray_sessions import local_ray  # first: it quiets what is imported next

# isort: split
from ray import tune
from ray.tune.search.optuna import OptunaSearch

from mrtune.search.room import Room
from mrtune.search.run import run_search
from mrtune.search.settings import Settings
from mrtune.search.space import load_space
from mrtune.search.studies import begin
from mrtune.study import open_storage

WORKERS = 2
EPOCHS = 5


def ours(folder: Path, trials: int) -> None:
    """Search with mrtune."""
    space = load_space(SPACE, [("budget.epochs", EPOCHS)])
    settings = Settings(trials, 0, 1.0, str(folder / "runs"))
    opened = begin(open_storage(str(folder / "mrtune.db")), "ours", space, settings, {})
    run_search(opened, Room(1.0, 0.0, None, WORKERS), lambda _: None)


class TrivialActor(tune.Trainable):
    """What a user of Ray Tune would write, with the import that any training needs."""

    def setup(self, config: dict[str, Any]) -> None:
        """Begin a trial."""
        import torch  # noqa: F401, PLC0415

        self._config = config

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Begin the next trial."""
        self._config = new_config
        return True

    def step(self) -> dict[str, Any]:
        """Report an epoch."""
        return {"score": score(self._config), "done": self.iteration + 1 >= EPOCHS}


def ray_tune(reuse_actors: bool, folder: Path, trials: int) -> None:
    """Search with Ray Tune and its OptunaSearch, on a storage like ours, without checkpoints."""
    search = OptunaSearch(
        {name: optuna.distributions.FloatDistribution(0, 1) for name in "xy"},
        metric="score",
        mode="max",
        storage=open_storage(str(folder / "ray.db")),
        seed=0,
    )
    results = tune.Tuner(
        tune.with_resources(TrivialActor, {"cpu": 1}),
        tune_config=tune.TuneConfig(
            num_samples=trials,
            search_alg=search,
            reuse_actors=reuse_actors,
        ),
        run_config=tune.RunConfig(
            name="ray",
            storage_path=str(folder),
            checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=False),
            verbose=0,
        ),
    ).fit()
    if results.errors:
        raise results.errors[0]


def objective(trial: optuna.Trial) -> float:
    """Report the epochs of a trial to Optuna."""
    value = score({name: trial.suggest_float(name, 0, 1) for name in "xy"})
    for epoch in range(EPOCHS):
        trial.report(value, epoch)
    return value


def optimise(url: str, trials: int) -> None:
    """Search with Optuna until there are enough trials."""
    import torch  # noqa: F401, PLC0415

    study = optuna.load_study(study_name="optuna", storage=url)
    enough = optuna.study.MaxTrialsCallback(trials, states=None)
    study.optimize(objective, callbacks=[enough])


def plain_optuna(folder: Path, trials: int) -> None:
    """Search with two processes that share a study in SQLite."""
    url = f"sqlite:///{folder / 'optuna.db'}"
    optuna.create_study(storage=url, study_name="optuna", direction="maximize")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=optimise, args=(url, trials)) for _ in range(WORKERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


@dataclass(frozen=True)
class Engine:
    """A way to search."""

    title: str
    run: Callable[[Path, int], None]
    database: str  # the file of its study
    on_ray: bool = True
    part: int = 1  # one in so many trials is enough where all cost the same


ENGINES = {
    "mrtune": Engine("mrtune", ours, "mrtune.db"),
    "ray": Engine("Ray Tune + OptunaSearch, `reuse_actors`", partial(ray_tune, True), "ray.db"),
    "ray-fresh": Engine("Ray Tune + OptunaSearch", partial(ray_tune, False), "ray.db", part=20),
    "optuna": Engine("Optuna, two processes", plain_optuna, "optuna.db", on_ray=False),
}


def search(engine: Engine, trials: int) -> dict[str, Any]:
    """Run a search and look at it from outside."""
    session = local_ray(num_cpus=WORKERS) if engine.on_ray else nullcontext()
    with tempfile.TemporaryDirectory() as scratch, session:
        folder = Path(scratch)
        started = time.time()
        engine.run(folder, trials)
        over = time.time()
        url = f"sqlite:///{folder / engine.database}"
        study = optuna.load_study(study_name=None, storage=url)
        ends = [t.datetime_complete.timestamp() for t in study.trials if t.datetime_complete]
    return {
        "ends": sorted(end - started for end in ends),
        "over": over - started,
        "peak_mb": peak_megabytes(),
    }


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print(json.dumps(search(ENGINES[sys.argv[1]], int(sys.argv[2]))))
