"""Two configurations over the seeds that both were trained with."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from dashboards.parts.measure import prefix_of
from mrtune.cli.options import trial_of
from mrtune.errors import UsageError
from mrtune.metrics import Direction, Paired, Summary, compare, delta_m, sign, summarise
from mrtune.study import Configuration, StudyRecord
from mrtune.study.choosing import best_by_method
from mrtune.wording import storable

# What each task is measured by, for Δm.
TASKS = (
    ("f_score",),
    ("miou", "pixel_accuracy"),
    ("depth_abs_error", "depth_rel_error"),
    ("normals_mean_angle", "normals_median_angle"),
)


@dataclass(frozen=True)
class Contender:
    """A configuration, and the words that it was named by."""

    name: str
    record: StudyRecord
    configuration: Configuration

    def by_trial(self, split: str) -> dict[int, dict[str, float]]:
        """Return the metrics of its complete trainings on a split, by the number of the trial."""
        prefix = prefix_of(split)
        return {
            trial.number: {
                metric.removeprefix(prefix): value
                for metric, value in trial.metrics.items()
                if metric.startswith(prefix)
            }
            for trial in self.configuration.complete
        }

    def by_seed(self, split: str) -> dict[int, dict[str, float]]:
        """Return the same by seed."""
        reports = self.by_trial(split)
        return {trial.seed: reports[trial.number] for trial in self.configuration.complete}


@dataclass(frozen=True)
class Row:
    """Both by one metric, on the seeds in common."""

    metric: str
    a: Summary
    b: Summary
    difference: float  # A − B, in the metric's own direction, as are low and high
    low: float
    high: float
    paired: Paired  # here more is better
    p_holm: float


@dataclass(frozen=True)
class Difference:
    """What A has over B."""

    split: str
    rows: tuple[Row, ...]
    delta_m: float | None  # percent; None where no metric of a task is known
    delta_m_of: tuple[str, ...]  # the metrics that it is made of

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it, which knows no NaN."""
        return {
            "split": self.split,
            "metrics": [asdict(row, dict_factory=_known) for row in self.rows],
            "delta_m": self.delta_m,
            "delta_m_of": self.delta_m_of,
        }


def _known(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: storable(value) if isinstance(value, float) else value for name, value in pairs}


def contender(name: str, record: StudyRecord, part: str | None) -> Contender:
    """Find the best configuration of a study, of one of its methods, or that of a trial."""
    if part is not None and part.isdecimal():
        config = trial_of(record, int(part)).config
        chosen = next(c for c in record.configurations if c.number == config)
    elif part is not None:
        by_method = best_by_method(record)
        if part not in by_method:
            known = ", ".join(by_method) or "no method yet"
            raise UsageError(f"{record.name} has complete trials of {known}; got {part!r}")
        chosen = by_method[part]
    elif record.best is not None:
        chosen = record.best
    else:
        raise UsageError(f"{record.name} has no complete trial yet")
    if not chosen.complete:
        raise UsageError(f"{name} has no complete trial yet")
    return Contender(name, record, chosen)


def difference(
    a: Contender,
    b: Contender,
    metrics: Sequence[str],
    directions: Mapping[str, Direction],
    test: str,
    split: str,
) -> Difference:
    """Compare by some metrics, as one family of tests."""
    ours, theirs = a.by_seed(split), b.by_seed(split)
    common = sorted(ours.keys() & theirs.keys())
    results = {"a": ours, "b": theirs}
    rows = []
    for found in compare(results, "b", metrics, test, directions=directions):
        gain, told = sign(found.metric, directions), found.paired
        low, high = (told.low, told.high) if gain > 0 else (-told.high, -told.low)
        rows.append(
            Row(
                found.metric,
                summarise([ours[seed][found.metric] for seed in common]),
                summarise([theirs[seed][found.metric] for seed in common]),
                gain * told.difference,
                low,
                high,
                told,
                found.p_holm,
            )
        )
    return Difference(split, tuple(rows), *_delta_m(ours, theirs, common))


def _delta_m(
    ours: Mapping[int, Mapping[str, float]],
    theirs: Mapping[int, Mapping[str, float]],
    common: Sequence[int],
) -> tuple[float | None, tuple[str, ...]]:
    """Return the improvement over tasks, of the means over seeds, and by which metrics."""
    known = set.intersection(*(set(side[seed]) for side in (ours, theirs) for seed in common))
    tasks = [[metric for metric in task if metric in known] for task in TASKS]
    a, b = (
        {m: fmean(side[seed][m] for seed in common) for task in tasks for m in task}
        for side in (ours, theirs)
    )
    return storable(delta_m(a, b, tasks)), tuple(a)
