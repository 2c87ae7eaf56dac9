"""The scores of single tasks, by who was trained on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from statistics import fmean

from dashboards.parts.benchmark_info import SUBJECT, UNRANKED, label_of
from dashboards.parts.measure import HELD_OUT, prefix_of
from dashboards.parts.naming import method_order
from mrtune.metrics import Comparison, Summary, compare, sign, summarise
from mrtune.study import Configuration, StudyRecord
from mrtune.study.choosing import best_by_method

KINDS = ("f", "iou")


@dataclass(frozen=True)
class Contender:
    """A configuration whose tasks are compared."""

    label: str
    n: int  # trainings
    scores: Mapping[str, Summary]  # by task


@dataclass(frozen=True)
class TaskRow:
    """One task: what it gains."""

    task: str
    gain: float  # of the subject over the reference on the seeds in common, for the better
    p_holm: float  # corrected for all tasks


@dataclass(frozen=True)
class AttributesInfo:
    """The tasks of a workload by who was trained on them."""

    split: str
    kind: str  # of metric: f, iou
    contenders: tuple[Contender, ...]  # the reference and the subject first
    rows: tuple[TaskRow, ...]  # the largest gain first; without a reference, the best score

    @property
    def compared(self) -> bool:
        """Whether there is a reference."""
        return len(self.contenders) > 1

    def middle(self, task: str) -> float:
        """Return the mean score of a task over all contenders."""
        found = [c.scores[task].mean for c in self.contenders if task in c.scores]
        finite = [mean for mean in found if isfinite(mean)]
        return fmean(finite) if finite else nan


def info(record: StudyRecord, split: str = HELD_OUT) -> AttributesInfo:
    """Compare the best configurations of methods by task, or the best with the default."""
    prefix = prefix_of(split)
    chosen = _contenders(record)
    reports = {label: _by_seed(configuration, prefix) for label, configuration in chosen.items()}
    reported = {metric for seeds in reports.values() for of in seeds.values() for metric in of}
    kind = next((k for k in KINDS if any(m.startswith(f"{k}/") for m in reported)), KINDS[0])
    metrics = sorted(metric for metric in reported if metric.startswith(f"{kind}/"))
    contenders = tuple(_contender(label, seeds, metrics) for label, seeds in reports.items())
    comparisons: dict[str, Comparison] = {}
    if len(chosen) > 1:
        reference, subject, *_ = chosen
        pair = {name: reports[name] for name in (reference, subject)}
        comparisons = {c.metric: c for c in compare(pair, reference, metrics)}
    gain = sign(kind)
    rows = []
    for metric in metrics:
        task = metric.partition("/")[2]
        if metric in comparisons:
            found = comparisons[metric]
            rows.append(TaskRow(task, found.paired.difference, found.p_holm))
        else:
            rows.append(TaskRow(task, nan, nan))
    unordered = AttributesInfo(split, kind, contenders, tuple(rows))

    def order(row: TaskRow) -> tuple[bool, float]:
        key = row.gain if unordered.compared else gain * unordered.middle(row.task)
        return (not isfinite(key), -key if isfinite(key) else 0.0)

    return AttributesInfo(split, kind, contenders, tuple(sorted(rows, key=order)))


def _contenders(record: StudyRecord) -> dict[str, Configuration]:
    """Return who is compared: the reference first, then the subject, then the others.

    The subject is MR, else the best method that takes a rank; the reference is MTL, else the
    method with the worst objective. With one method, they are the default and the best
    configuration.
    """
    methods = best_by_method(record)
    if len(methods) > 1:
        less = record.objective.direction == "minimize"
        by_value = sorted(methods, key=lambda m: methods[m].mean() or 0.0, reverse=less)
        best_last = sorted(by_value, key=lambda m: (m == SUBJECT, m not in UNRANKED))
        subject = next(m for m in reversed(best_last) if m != "mtl")
        reference = "mtl" if "mtl" in methods else next(m for m in by_value if m != subject)
        others = sorted(methods.keys() - {reference, subject}, key=method_order)
        return {label_of(m, methods[m]): methods[m] for m in (reference, subject, *others)}
    best, default = record.best, record.default
    if best is None:
        return {}
    if default is None or not default.complete or default.number == best.number:
        return {f"best (trial {best.number})": best}
    return {f"default (trial {default.number})": default, f"best (trial {best.number})": best}


def _by_seed(configuration: Configuration, prefix: str) -> dict[int, dict[str, float]]:
    return {
        trial.seed: {
            name.removeprefix(prefix): value
            for name, value in trial.metrics.items()
            if name.startswith(prefix)
        }
        for trial in configuration.complete
    }


def _contender(
    label: str, seeds: Mapping[int, Mapping[str, float]], metrics: Sequence[str]
) -> Contender:
    scores = {}
    for metric in metrics:
        found = [of_seed[metric] for of_seed in seeds.values() if metric in of_seed]
        if found:
            scores[metric.partition("/")[2]] = summarise(found)
    return Contender(label, len(seeds), scores)
