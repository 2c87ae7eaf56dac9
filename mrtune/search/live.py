"""A trial that runs now, as the process that drives it knows it."""

from dataclasses import dataclass, field
from typing import Any

import optuna

from mrtune.search.job import Job
from mrtune.search.outcome import Outcome, Report
from mrtune.study import keys
from mrtune.study.records import Rung
from mrtune.wording import storable

CURVES = ("loss/", "roaming/")  # of metrics below the whole, those whose course is kept


@dataclass
class Live:
    """Writes what becomes of a trial to the study."""

    trial: optuna.Trial
    job: Job
    config: int
    default: bool = False
    steps: int = 0  # reports that the study has
    curves: dict[str, list[float | None]] = field(default_factory=dict)
    rungs: list[Rung] = field(default_factory=list)
    retries: int = 0
    seconds: float = 0.0
    last: Report = field(default_factory=dict)

    @property
    def epoch(self) -> float:
        """Epochs done, as far as reported."""
        epochs = self.curves.get("epoch")
        return (epochs[-1] or 0.0) if epochs else 0.0

    def place(self, outcome: Outcome) -> None:
        """Note where the trial runs, on which data, and which network it trains."""
        if outcome.place is not None:
            self.trial.set_user_attr(keys.PLACE, outcome.place)
            if outcome.network is not None:
                self.trial.set_user_attr(keys.NETWORK, outcome.network)
            provenance = self.trial.user_attrs.get(keys.PROVENANCE, {})
            if outcome.data is not None and provenance.get("data") != outcome.data:
                self.trial.set_user_attr(keys.PROVENANCE, provenance | {"data": outcome.data})

    def leave(self) -> None:
        """Note that the trial is on no machine now."""
        if self.trial.user_attrs.get(keys.PLACE):
            self.trial.set_user_attr(keys.PLACE, {})

    def report(self, report: Report, value: float | None) -> None:
        """Append a report to the curves; a single objective is an intermediate value as well."""
        self.steps += 1
        self.last = report
        for name, number in report.items():
            if "/" not in name or name.startswith(CURVES):
                curve = self.curves.setdefault(name, [None] * (self.steps - 1))
                curve.append(storable(number))
        for curve in self.curves.values():
            curve.extend([None] * (self.steps - len(curve)))
        # Curves last: they say what is known, and what is not is reported again after a kill.
        if value is not None:
            self.trial.report(value, self.steps)
        self.trial.set_user_attr(keys.CURVES, self.curves)

    def pass_rung(self, rung: Rung) -> None:
        """Note the verdict at a rung."""
        self.rungs.append(rung)
        self.trial.set_user_attr(keys.RUNGS, [vars(rung) for rung in self.rungs])

    def close(self, final: Report | None = None) -> None:
        """Note all metrics of the end."""
        metrics = {**self.last, **(final or {})}
        numbers = {name: storable(value) for name, value in metrics.items()}
        self.trial.set_user_attr(keys.METRICS, numbers)
        self.trial.set_user_attr(keys.SECONDS, self.seconds)

    @classmethod
    def of(cls, trial: optuna.Trial, job: Job) -> "Live":
        """Continue with what the study already has of a trial."""
        attributes: dict[str, Any] = trial.user_attrs
        curves = {name: list(curve) for name, curve in attributes.get(keys.CURVES, {}).items()}
        return cls(
            trial=trial,
            job=job,
            config=attributes[keys.CONFIG],
            default=attributes.get(keys.DEFAULT, False),
            steps=len(curves.get("epoch", ())),
            curves=curves,
            rungs=[Rung(**rung) for rung in attributes.get(keys.RUNGS, ())],
            retries=attributes.get(keys.RETRIES, 0),
            seconds=attributes.get(keys.SECONDS, 0.0),
        )
