"""A crowd of simulated trials, all at once, on the real sweep over a real study, without Ray.

`python -m benchmarks.crowd URL TRIALS CONCURRENT SAMPLER` prints one JSON object. A trial replays
one of the recorded curves, stretched to as many epochs as the paper trains on Celeb-A, and reports
as many metrics as a training of its eight tasks does.
"""

import json
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.curves import nearest
from benchmarks.driver import peak_megabytes
from benchmarks.replay import first_seeds
from benchmarks.searchers import shipped_space
from benchmarks.sweeps import open_sweep
from mrtune.search.job import Job
from mrtune.search.outcome import Outcome, Report
from mrtune.search.sweep import Sweep

EPOCHS = 40
GRACE = 4.0
TASKS = 8


@dataclass
class Seen:
    """What a search cost the process that drives it."""

    reports: int = 0
    proposals: list[float] = field(default_factory=list)  # CPU seconds of each
    seconds: float = 0.0
    cpu: float = 0.0


def drive(sweep: Sweep, concurrent: int) -> Seen:
    """Keep so many trials running until the search is over; each reports in turn."""
    seen, running = Seen(), deque[tuple[Job, Iterator[Outcome]]]()
    started, cpu = time.perf_counter(), time.process_time()
    while True:
        while len(running) < concurrent:
            before = time.process_time()
            job = sweep.next_job()
            if job is None:
                break
            seen.proposals.append(time.process_time() - before)
            running.append((job, outcomes(job)))
        if not running:
            break
        sweep.tick()
        job, news = running.popleft()
        outcome = next(news)
        seen.reports += len(outcome.reports)
        if not sweep.take(job.number, outcome):
            running.append((job, news))
    seen.seconds, seen.cpu = time.perf_counter() - started, time.process_time() - cpu
    return seen


def outcomes(job: Job) -> Iterator[Outcome]:
    """Tell what a worker would of a trial."""
    curve = first_seeds()[nearest(job.setting, first_seeds())]
    recorded = np.linspace(1, EPOCHS, len(curve.f_score))
    epochs = np.arange(1, EPOCHS + 1)
    scores = np.interp(epochs, recorded, curve.f_score).tolist()
    completion = np.interp(epochs, recorded, curve.completion).tolist()
    for step, (score, done) in enumerate(zip(scores, completion, strict=True)):
        place = {"host": "here"} if step == 0 else None
        yield Outcome([report(step + 1.0, score, done)], step, place=place, seconds=60.0)
    yield Outcome(first=EPOCHS, finished={})


def report(epoch: float, score: float, completion: float) -> Report:
    """Return a report with as many metrics as a training on Celeb-A has."""
    losses = {f"loss/{task}": (1 - score) / (task + 1) for task in range(TASKS)}
    return {
        "epoch": epoch,
        "f_score": score,
        "accuracy": 0.5 + score / 2,
        "precision": score**0.5,
        "recall": score**2,
        "loss": sum(losses.values()),
        **losses,
        "roaming/completion": completion,
        "seconds": 61.7 * epoch,
        "images_per_s": 2649.3,
        "peak_memory_mb": 1423.0,
    }


def main(url: str, trials: int, concurrent: int, sampler: str) -> None:
    """Print what the search cost."""
    size: dict[str, Any] = {"budget.epochs": EPOCHS, "sampler": sampler}
    space = shipped_space(trials, **size)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_sweep(Path(folder), space, GRACE, url=url) as sweep,
    ):
        seen = drive(sweep, concurrent)
    tenth = max(1, trials // 10)
    print(
        json.dumps(
            {
                "reports": seen.reports,
                "seconds": seen.seconds,
                "cpu": seen.cpu,
                "first_proposals": fmean(seen.proposals[:tenth]),
                "last_proposals": fmean(seen.proposals[-tenth:]),
                "peak_mb": peak_megabytes(),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
