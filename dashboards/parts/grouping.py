"""Complete trials, grouped by how they were trained."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from statistics import fmean
from typing import Any, TypeVar

from dashboards.blocks import Cell, Text
from dashboards.parts.measure import Measure
from dashboards.theme import STATES
from mrtune.metrics import Summary, summarise
from mrtune.study import StudyRecord, TrialRecord
from mrtune.study.choosing import method_of, setting_of
from mrtune.wording import spread

LEVEL = 0.05  # of significance, on every page
MOST_VALUES = 12  # of a parameter, before they are put together
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Run:
    """A complete trial: how it was trained, and what came of it."""

    config: int
    seed: int
    value: float  # of what is measured
    method: str
    p: float | None  # None where nobody has said it, or where it changes with depth
    delta: float | None
    finish_at: float | None
    r: float | None  # None for methods without a partition
    selection: str
    setting: Mapping[str, Any]  # all that is known of it

    @property
    def roams(self) -> bool:
        """Whether its partition changes."""
        return self.method == "mr" and bool(self.r)

    @property
    def fixed(self) -> bool:
        """Whether its partition stays as it is."""
        return self.method == "tr" or (self.method == "mr" and self.r == 0)


def runs(record: StudyRecord, measure: Measure) -> list[Run]:
    """Return the complete trials of a study that have what is measured."""
    measured = [(trial, measure.of(trial)) for trial in complete(record)]
    return [
        _run(trial, method_of(record, trial), value)
        for trial, value in measured
        if value is not None
    ]


def complete(record: StudyRecord) -> list[TrialRecord]:
    """Return the trials that were trained to their end."""
    return [trial for trial in record.trials if trial.state == "complete"]


def _run(trial: TrialRecord, method: str, value: float) -> Run:
    told = setting_of(trial)
    r = {"mr": told.get("r", 1.0), "tr": 0.0}.get(method)
    return Run(
        config=trial.config,
        seed=trial.seed,
        value=value,
        method=method,
        p=_number(told.get("p")),
        delta=_number(told.get("delta")),
        finish_at=_number(told.get("finish_at")),
        r=_number(r),
        selection=str(told.get("selection", "uniform")),
        setting=told,
    )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def grouped(runs: Iterable[Run], key: Callable[[Run], Key | None]) -> dict[Key, list[Run]]:
    """Put runs with the same key together; those without one are left out."""
    groups: dict[Key, list[Run]] = {}
    for run in runs:
        of_run = key(run)
        if of_run is not None:
            groups.setdefault(of_run, []).append(run)
    return groups


def summary(runs: Sequence[Run]) -> Summary:
    """Summarise the values of runs."""
    return summarise([run.value for run in runs])


def by_seed(runs: Iterable[Run], gain: int = 1) -> dict[int, float]:
    """Return a value for each seed, the mean where several configurations have used it."""
    seeds: dict[int, list[float]] = {}
    for run in runs:
        seeds.setdefault(run.seed, []).append(gain * run.value)
    return {seed: fmean(values) for seed, values in seeds.items()}


def pooled(groups: Iterable[Sequence[Run]]) -> bool:
    """Whether some group holds several configurations."""
    return any(len({run.config for run in group}) > 1 for group in groups)


def is_drawn(record: StudyRecord, name: str, values: Iterable[float]) -> bool:
    """Whether values of a parameter were drawn from a range, or are too many to be told one by one.

    Those of a grid are met again and again; those that a sampler draws from a range hardly ever.
    """
    told = record.space.get("params", {}).get(name)
    ranged = isinstance(told, Mapping) and "low" in told and told.get("step") is None
    whole = isinstance(told, Mapping) and told.get("type") == "int"
    return (ranged and not whole) or len(set(values)) > MOST_VALUES


def rounded(value: float, step: float | None) -> float:
    """Round to a multiple of a step, half up."""
    return tidy(value if step is None else floor(value / step + 0.5) * step)


def rounded_log(value: float) -> float:
    """Round to 1, 2 or 5 times a power of ten, whichever is closest by its ratio."""
    power = floor(log10(value))
    steps = [tidy(digit * 10.0**exponent) for exponent in (power, power + 1) for digit in (1, 2, 5)]
    return min(steps, key=lambda step: abs(log10(step / value)))


def tidy(value: float) -> float:
    """Drop what floating point has added: 0.7000000000000001 is 0.7."""
    return float(f"{value:.10g}")


def nothing_yet(record: StudyRecord) -> Text | None:
    """Say what a study without a complete trial has, None if it has one."""
    if complete(record):
        return None
    parts = [f"{STATES[state][0]} {n} {state}" for state, n in record.counts.items() if n]
    return Text(f"No trial is complete yet: {', '.join(parts) or 'none has begun'}.", "note")


def measured(text: str, value: float, strong: bool = False) -> Cell:
    """Make a cell that sorts by its value where that is a number."""
    return Cell(text, value if isfinite(value) else None, strong=strong)


def summary_cells(s: Summary | None, strong: bool = False) -> list[Cell]:
    """Make the cells of mean ± std and of n; blank where nothing was trained."""
    if s is None:
        return [Cell(""), Cell("0", 0)]
    return [measured(spread(s.mean, s.std), s.mean, strong), Cell(str(s.n), s.n)]


def counted(summaries: Iterable[Summary]) -> str:
    """Write how many values there are: 5, or 3 to 5."""
    counts = sorted({s.n for s in summaries})
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
