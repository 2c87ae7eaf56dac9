"""What Ray Tune itself spends on a result, with nothing of ours around it.

Run with `python -m benchmarks.ray_alone`. Two trials report as fast as they can.
"""

import tempfile
import time
from typing import Any

from mrtune.search.ray_sessions import local_ray  # first: it quiets what is imported next

# isort: split
from ray import tune

from benchmarks.machine import describe

TRIALS = 2
RESULTS = 3000  # of each
WARM = 500  # results before the clock starts


class Reporter(tune.Trainable):
    """Reports, and does nothing else."""

    def step(self) -> dict[str, Any]:
        """Report."""
        return {"outcome": "{}", "done": self.iteration + 1 >= RESULTS}


class Clock(tune.Callback):
    """Measures from one result to another."""

    def __init__(self) -> None:
        self.results = 0
        self.began = self.ended = (0.0, 0.0)

    def on_trial_result(self, *_: Any, **__: Any) -> None:
        """Count a result."""
        self.results += 1
        now = time.process_time(), time.perf_counter()
        if self.results == WARM:
            self.began = now
        self.ended = now


def main() -> None:
    """Print what a result costs."""
    clock = Clock()
    with local_ray(TRIALS), tempfile.TemporaryDirectory() as folder:
        tune.Tuner(
            tune.with_resources(Reporter, {"cpu": 1}),
            tune_config=tune.TuneConfig(num_samples=TRIALS, reuse_actors=True),
            run_config=tune.RunConfig(
                name="alone",
                storage_path=folder,
                callbacks=[clock],
                checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=False),
                verbose=0,
            ),
        ).fit()
    counted = clock.results - WARM
    cpu, wall = (end - begin for begin, end in zip(clock.began, clock.ended, strict=True))
    print(describe())
    pace, cost = counted / wall, 1e3 * cpu / counted
    print(f"{counted} results: {pace:.0f} a second, {cost:.2f} ms of CPU each")


if __name__ == "__main__":
    main()
