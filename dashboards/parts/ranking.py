"""Which trials are better: the order of every list of trials."""

import math
from collections.abc import Iterable

from mrtune.study import StudyRecord, TrialRecord


def score(record: StudyRecord, trial: TrialRecord, objective: int = 0) -> float | None:
    """Return what a trial has reached: its result, or what it last reported."""
    if trial.state == "complete" and trial.values:
        value: float | None = trial.values[objective]
    else:
        value = trial.latest(record.objectives[objective].metric)
    return value if value is not None and math.isfinite(value) else None


def ranked(record: StudyRecord, trials: Iterable[TrialRecord] | None = None) -> list[TrialRecord]:
    """Sort trials: complete ones by value, then the others by how far they came and by value."""
    sign = -1 if record.objective.direction == "maximize" else 1

    def key(trial: TrialRecord) -> tuple[bool, float, bool, float, int]:
        value = score(record, trial)
        complete = trial.state == "complete"
        done = 0.0 if complete else -trial.epoch
        return (not complete, done, value is None, sign * (value or 0.0), trial.number)

    return sorted(record.trials if trials is None else trials, key=key)


def evenly(trials: list[TrialRecord], most: int) -> list[TrialRecord]:
    """Leave trials out until few enough are left: some of every rank, the first one always."""
    kept = min(most, len(trials))
    return [trials[place * len(trials) // kept] for place in range(kept)]
