"""The driver of a large search alone, without workers: what a proposal and a report cost it.

`python -m benchmarks.driver 2000 20` prints one JSON object. Scores rise from trial to trial, so
that halving keeps all of them: every trial makes all its reports and stands on every rung.
"""

import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.sweeps import open_sweep
from mrtune.search.outcome import Outcome
from mrtune.search.space import load_space
from mrtune.search.sweep import Sweep

SPACE = str(Path(__file__).with_name("trivial.yaml"))


@dataclass
class Costs:
    """CPU seconds of each trial, which a machine's other users hardly disturb."""

    proposal: list[float] = field(default_factory=list)
    report: list[float] = field(default_factory=list)  # the mean over the reports of a trial
    ending: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Ends:
    """Means over the first and the last tenth of the trials, in seconds."""

    first: float
    last: float

    @classmethod
    def of(cls, costs: list[float]) -> "Ends":
        """Compare the ends of a series."""
        tenth = max(1, len(costs) // 10)
        return cls(fmean(costs[:tenth]), fmean(costs[-tenth:]))


def drive(sweep: Sweep, reports: int) -> Costs:
    """Do what Ray does with the sweep: look around, hand out a trial, pass on its reports."""
    costs = Costs()
    while True:
        started = time.process_time()
        sweep.tick()
        job = None if sweep.over() else sweep.next_job()
        if job is None:
            return costs
        costs.proposal.append(time.process_time() - started)
        started = time.process_time()
        for epoch in range(reports):
            sweep.tick()
            report = {"epoch": epoch + 1.0, "score": float(job.number), "loss": 1.0}
            place = {"host": "here"} if epoch == 0 else None
            sweep.take(job.number, Outcome([report], epoch, place=place))
        costs.report.append((time.process_time() - started) / reports)
        started = time.process_time()
        sweep.take(job.number, Outcome(first=reports, finished={}))
        costs.ending.append(time.process_time() - started)


def peak_megabytes() -> float:
    """Return the peak memory of this process so far; ru_maxrss may be the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def main(trials: int, reports: int) -> None:
    """Print the costs and the memory."""
    size: list[tuple[str, Any]] = [("trials", trials), ("budget.epochs", reports)]
    space = load_space(SPACE, [*size, ("pruner", "asha")])
    with tempfile.TemporaryDirectory() as folder, open_sweep(Path(folder), space, 1.0) as sweep:
        before = peak_megabytes()
        costs = drive(sweep, reports)
    ends = {name: asdict(Ends.of(series)) for name, series in vars(costs).items()}
    print(json.dumps({"before_mb": before, "peak_mb": peak_megabytes(), **ends}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
