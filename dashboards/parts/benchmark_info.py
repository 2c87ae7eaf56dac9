"""Every method by every metric: the numbers of the benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan

from dashboards.parts.benchmark_gains import Gains, gains
from dashboards.parts.measure import HELD_OUT, prefix_of
from dashboards.parts.naming import method_name, method_order
from dashboards.parts.paper import PAPER, PaperTable
from mrtune.metrics import DIRECTIONS, Direction, Summary, average_rank, sign, summarise
from mrtune.study import Configuration, StudyRecord
from mrtune.study.choosing import best_by_method, method_of, setting_of

# The columns of the paper's tables; shares are written in percent, as there.
PERCENT = ("precision", "recall", "f_score", "miou", "pixel_accuracy")
AS_THEY_ARE = (
    "depth_abs_error",
    "depth_rel_error",
    "normals_mean_angle",
    "normals_median_angle",
)
AS_LARGE_AS_MTL = ("mtl", "gradnorm", "mgda", "tr", "mr")
SUBJECT = "mr"  # whose gains are told
UNRANKED = ("stl",)  # of a different nature: one network for each task
NO_RANK = "–"


@dataclass(frozen=True)
class MethodRow:
    """The best configuration of a method, or a row of the paper, in the paper's units."""

    method: str
    label: str
    size: str  # #P
    n: int  # trainings
    values: Mapping[str, Summary]
    texts: Mapping[str, str]
    rank: float  # NaN without one
    rank_text: str


@dataclass(frozen=True)
class BenchmarkInfo:
    """Methods by metrics."""

    split: str
    metrics: tuple[str, ...]
    units: Mapping[str, float]  # metric → factor to the unit that is shown
    directions: Mapping[str, Direction]
    rows: tuple[MethodRow, ...]
    tried: Mapping[str, int]  # method → configurations
    paper: tuple[MethodRow, ...]
    title: str  # of the paper's table, or the workload
    gains: Gains | None  # of MR, else of the first by rank; None without another method

    def label(self, method: str) -> str:
        """Name one of the study's methods."""
        return next(row.label for row in self.rows if row.method == method)

    def best(self, rows: Sequence[MethodRow], metric: str) -> float:
        """Return the best mean of a metric among the methods that are ranked."""
        means = [
            row.values[metric].mean
            for row in rows
            if row.method not in UNRANKED and metric in row.values
        ]
        finite = [mean for mean in means if isfinite(mean)]
        more = sign(metric, self.directions) > 0
        return (max(finite) if more else min(finite)) if finite else nan


def info(record: StudyRecord, split: str = HELD_OUT) -> BenchmarkInfo:
    """Summarise the best configuration of each method on a split."""
    prefix = prefix_of(split)
    objectives: dict[str, Direction] = {o.metric: o.direction for o in record.objectives}
    chosen = best_by_method(record)
    reported = {
        metric.removeprefix(prefix)
        for configuration in chosen.values()
        for trial in configuration.complete
        for metric in trial.metrics
        if metric.startswith(prefix)
    }
    wanted = dict.fromkeys((*PERCENT, *AS_THEY_ARE, *objectives))
    metrics = tuple(metric for metric in wanted if metric in reported)
    printed = PAPER.get(record.workload)
    units = {metric: 100.0 if metric in PERCENT else 1.0 for metric in metrics}
    if printed is not None:
        units |= {metric: unit for metric, unit in printed.units.items() if metric in units}
    directions: dict[str, Direction] = {**DIRECTIONS, **objectives}
    methods = sorted(chosen, key=method_order)
    values = {m: _values(chosen[m], metrics, prefix, units) for m in methods}
    means = {m: {metric: s.mean for metric, s in of.items()} for m, of in values.items()}
    ranks = average_rank(means, metrics, UNRANKED, directions)
    sizes = {m: _parameters(chosen[m]) for m in methods}
    whole = next((sizes[m] for m in AS_LARGE_AS_MTL if sizes.get(m)), None)
    tried = dict.fromkeys(methods, 0)
    for configuration in record.configurations:
        method = method_of(record, configuration.trials[0])
        if method in tried and configuration.complete:
            tried[method] += 1
    return BenchmarkInfo(
        split=split,
        metrics=metrics,
        units=units,
        directions=directions,
        rows=tuple(
            MethodRow(
                method=m,
                label=label_of(m, chosen[m]),
                size=_relative(sizes[m], whole),
                n=len(chosen[m].complete),
                values=values[m],
                texts={metric: _text(s, metric, units) for metric, s in values[m].items()},
                rank=ranks.get(m, nan),
                rank_text=f"{ranks[m]:.2f}" if isfinite(ranks.get(m, nan)) else NO_RANK,
            )
            for m in methods
        ),
        tried=tried,
        paper=_printed(printed, metrics) if printed else (),
        title=printed.title if printed else record.workload,
        gains=_gains(record, {m: chosen[m] for m in methods}, ranks, units, prefix),
    )


def _gains(
    record: StudyRecord,
    chosen: Mapping[str, Configuration],
    ranks: Mapping[str, float],
    units: Mapping[str, float],
    prefix: str,
) -> Gains | None:
    metric = record.objective.metric
    if metric not in units or not ranks or len(chosen) < 2:
        return None
    subject = SUBJECT if SUBJECT in chosen else min(ranks, key=lambda method: ranks[method])
    return gains(subject, metric, chosen, prefix, record.objective.sign * units[metric])


def label_of(method: str, configuration: Configuration) -> str:
    """Name a method with the parameter that the paper's tables name."""
    values = setting_of(configuration.trials[0])
    key = {"tr": "p", "mr": "p", "gradnorm": "alpha"}.get(method, "")
    if not isinstance(values.get(key), int | float):
        return method_name(method)
    return f"{method_name(method)} ({'α' if key == 'alpha' else key} = {values[key]:.3g})"


def _values(
    configuration: Configuration,
    metrics: Sequence[str],
    prefix: str,
    units: Mapping[str, float],
) -> dict[str, Summary]:
    values: dict[str, Summary] = {}
    for metric in metrics:
        name = prefix + metric
        found = [t.metrics[name] for t in configuration.complete if name in t.metrics]
        if found:
            values[metric] = summarise([units[metric] * value for value in found])
    return values


def _parameters(configuration: Configuration) -> float | None:
    found: int | None = configuration.complete[0].network.get("parameters")
    return found


def _relative(size: float | None, whole: float | None) -> str:
    return f"{size / whole:.1f}" if size and whole else "–"


def _text(s: Summary, metric: str, units: Mapping[str, float]) -> str:
    if not isfinite(s.mean):
        return "–"
    digits = 2 if units[metric] > 1 or abs(s.mean) >= 1 else 4
    std = f" ± {s.std:.{digits}f}" if isfinite(s.std) else ""
    return f"{s.mean:.{digits}f}{std}"


def _printed(table: PaperTable, metrics: Sequence[str]) -> tuple[MethodRow, ...]:
    return tuple(
        MethodRow(
            method=row.method,
            label=row.label,
            size=row.size,
            n=table.seeds,
            values={
                metric: Summary(row.values[metric].mean, row.values[metric].std, table.seeds)
                for metric in metrics
                if metric in row.values
            },
            texts={metric: row.values[metric].text for metric in metrics if metric in row.values},
            rank=nan if row.rank == "-" else float(row.rank),
            rank_text=NO_RANK if row.rank == "-" else row.rank,
        )
        for row in table.rows
    )
