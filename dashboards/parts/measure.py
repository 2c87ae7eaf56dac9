"""What an experiment is measured by: a metric, on a split."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboards.blocks import Choice, Row
from dashboards.parts.naming import METRICS, metric_name
from dashboards.parts.query import picked
from mrtune.metrics import DIRECTIONS, Direction
from mrtune.study import Objective, StudyRecord, TrialRecord

HELD_OUT, VAL = "held-out", "val"
SPLITS = {HELD_OUT: "held-out part of the training split", VAL: "validation split"}


@dataclass(frozen=True)
class Measure:
    """A metric of complete trials."""

    objective: Objective  # the metric with its direction, searched for or not
    split: str = HELD_OUT
    chosen: bool = True  # whether it is what the study searches by

    @property
    def name(self) -> str:
        """What it is called on pages."""
        return metric_name(self.objective.metric)

    @property
    def about(self) -> str:
        """Its name, and on what it was measured."""
        return f"{self.name} on the {SPLITS[self.split]}"

    @property
    def sign(self) -> int:
        """1 where more is better and −1 where less is."""
        return self.objective.sign

    def of(self, trial: TrialRecord) -> float | None:
        """Return its value for a trial."""
        if self.chosen:
            return trial.values[0] if trial.values else None
        return trial.metrics.get(prefix_of(self.split) + self.objective.metric)


def prefix_of(split: str) -> str:
    """Return what the names of a split's metrics begin with."""
    return "val/" if split == VAL else ""


def objective_of(record: StudyRecord) -> Measure:
    """Return what a study searches by."""
    return Measure(record.objective)


def asked(record: StudyRecord, query: Mapping[str, str]) -> Measure:
    """Return what the address of a page asks for; by default what the study searches by."""
    split = picked(query, "split", _splits(record), HELD_OUT)
    metric = picked(query, "metric", _metrics(record, split), record.objective.metric)
    searched = metric == record.objective.metric
    direction: Direction = record.objective.direction if searched else DIRECTIONS[metric]
    return Measure(Objective(metric, direction), split, searched and split == HELD_OUT)


def choices(record: StudyRecord, measure: Measure) -> list[Row]:
    """Let the reader choose among what the trials of a study report."""
    metrics = {metric: metric_name(metric) for metric in _metrics(record, measure.split)}
    controls = [
        Choice("split", "measured on", _splits(record), measure.split),
        Choice("metric", "by", metrics, measure.objective.metric),
    ]
    found = [control for control in controls if len(control.options) > 1]
    return [Row(found)] if found else []


def _splits(record: StudyRecord) -> dict[str, str]:
    reported = _reported(record)
    return {
        split: text
        for split, text in SPLITS.items()
        if split == HELD_OUT or any(name.startswith(prefix_of(split)) for name in reported)
    }


def _metrics(record: StudyRecord, split: str) -> list[str]:
    """Name the objective, and what else is known and reported of all tasks together on a split."""
    reported, prefix = _reported(record), prefix_of(split)
    known = [name for name in METRICS if name in DIRECTIONS and prefix + name in reported]
    return list(dict.fromkeys([record.objective.metric, *known]))


def _reported(record: StudyRecord) -> set[str]:
    return {name for t in record.trials if t.state == "complete" for name in t.metrics}
