"""What the search itself costs: per trial beside other engines, and per report of a large search.

Run with `make bench` or `python -m benchmarks.search [--trials 200] [--rounds 1] [--quick]`.
Engines take turns, each in a fresh process, with two workers, on trials that report five times and
train nothing. Of a search without `reuse_actors`, where all trials cost the same, a twentieth runs.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.engines import ENGINES, EPOCHS, WORKERS
from benchmarks.machine import describe

TARGET = 0.35  # seconds a trial
MEMORY = 1024  # MB of the driver
LARGE = (2000, 20)  # trials, and reports of each


@dataclass(frozen=True)
class Pace:
    """Seconds of a search: per trial over all of it, and per trial once it is under way."""

    whole: float
    further: float

    @classmethod
    def of(cls, ends: Sequence[float], over: float) -> "Pace":
        """Read it off the moments at which trials ended and at which all was over."""
        started = len(ends) // 4  # by then every worker is up
        further = (ends[-1] - ends[started]) / (len(ends) - 1 - started)
        return cls(over / len(ends), further)


def run(module: str, *arguments: str) -> Any:
    """Run a part in a fresh process and read what it prints."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def engines_table(trials: int, rounds: int) -> None:
    """Print what a trial costs with each engine."""
    paces: dict[str, list[Pace]] = {name: [] for name in ENGINES}
    peaks: dict[str, float] = {}
    for _ in range(rounds):
        for name, found in paces.items():
            seen = run("benchmarks.engines", name, str(trials // ENGINES[name].part))
            found.append(Pace.of(seen["ends"], seen["over"]))
            peaks[name] = max(peaks.get(name, 0.0), seen["peak_mb"])
    title = f"{trials} trials of {EPOCHS} reports, {WORKERS} workers"
    print(f"| {title} | s/trial | s/further trial | memory of the driver |")
    print("|---|---:|---:|---:|")
    for name, found in paces.items():
        whole, further = median(p.whole for p in found), median(p.further for p in found)
        print(f"| {ENGINES[name].title} | {whole:.2f} | {further:.2f} | {peaks[name]:.0f} MB |")
    ours = median(pace.whole for pace in paces["mrtune"])
    verdict = "meets" if ours <= TARGET else "MISSES"
    print(f"\nmrtune {verdict} the target of {TARGET} s a trial.\n", flush=True)


def driver_table(trials: int, reports: int) -> None:
    """Print what a large search costs the process that drives it."""
    found = run("benchmarks.driver", str(trials), str(reports))
    print(f"| The driver, {trials:,} trials x {reports} reports | first 10 % | last 10 % |")
    print("|---|---:|---:|")
    for name in ("report", "proposal", "ending"):
        first, last = found[name]["first"], found[name]["last"]
        print(f"| CPU time of a trial's {name} | {1000 * first:.1f} ms | {1000 * last:.1f} ms |")
    verdict = "meets" if found["peak_mb"] < MEMORY else "MISSES"
    print(
        f"\nPeak memory {found['peak_mb']:.0f} MB, {found['before_mb']:.0f} MB of it before the"
        f" first trial; {verdict} the target of {MEMORY} MB."
    )


def main(trials: int, rounds: int, large: tuple[int, int]) -> None:
    """Print both tables."""
    print(f"{describe()}; median of {rounds} rounds\n", flush=True)
    engines_table(trials, rounds)
    driver_table(*large)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--quick", action="store_true", help="a large search of a tenth of the size"
    )
    arguments = parser.parse_args()
    trials, reports = LARGE
    main(arguments.trials, arguments.rounds, (trials // 10 if arguments.quick else trials, reports))
