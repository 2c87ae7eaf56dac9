"""A study and its trials as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from statistics import fmean
from typing import Any, Literal

from mrtune.wording import storable

State = Literal["waiting", "running", "complete", "pruned", "fail"]
FINISHED = ("complete", "pruned", "fail")


@dataclass(frozen=True)
class Rung:
    """What was decided about a trial at a rung."""

    rung: int
    epoch: float
    value: float  # of this trial
    threshold: float | None  # what the mean of its seeds had to reach; None without rivals
    kept: bool


@dataclass(frozen=True)
class TrialRecord:
    """One training: a configuration and a seed."""

    number: int
    state: State
    params: Mapping[str, Any]
    values: tuple[float, ...] | None
    config: int
    seed: int
    default: bool = False  # the trainer's own configuration
    setting: Mapping[str, Any] = field(default_factory=dict)
    curves: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    rungs: tuple[Rung, ...] = ()
    failure: Mapping[str, str] | None = None
    retries: int = 0
    owner: str | None = None
    slot: str | None = None
    place: Mapping[str, Any] = field(default_factory=dict)
    network: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    started: datetime | None = None
    ended: datetime | None = None
    seconds: float = 0.0

    @property
    def finished(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in FINISHED

    @property
    def epoch(self) -> float:
        """Epochs done, as far as reported."""
        return float(self.latest("epoch") or 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as JSON can hold it."""
        content: dict[str, Any] = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in vars(self).items()
        }
        content["metrics"] = {name: storable(value) for name, value in self.metrics.items()}
        content["rungs"] = [vars(rung) for rung in self.rungs]
        for moment in ("started", "ended"):
            content[moment] = content[moment] and content[moment].isoformat()
        return content

    def latest(self, metric: str) -> float | None:
        """Return a metric as last reported; trials that ended have them all at hand."""
        if metric in self.metrics:
            return self.metrics[metric]
        curve = self.curves.get(metric)
        return curve[-1] if curve else None


@dataclass(frozen=True)
class Objective:
    """A metric that is searched for."""

    metric: str
    direction: Literal["maximize", "minimize"]

    @property
    def sign(self) -> int:
        """1 where more is better and −1 where less is."""
        return 1 if self.direction == "maximize" else -1

    def better(self, one: float, other: float) -> bool:
        """Return whether one value beats another."""
        return one > other if self.direction == "maximize" else one < other


@dataclass(frozen=True)
class Configuration:
    """The trainings that differ in nothing but their seed."""

    number: int
    trials: tuple[TrialRecord, ...]

    @property
    def complete(self) -> tuple[TrialRecord, ...]:
        """Those that were trained to the end."""
        return tuple(trial for trial in self.trials if trial.state == "complete")

    def mean(self, objective: int = 0) -> float | None:
        """Return the mean over its complete trainings."""
        found = [trial.values[objective] for trial in self.complete if trial.values]
        return fmean(found) if found else None


@dataclass(frozen=True)
class Driver:
    """A process that searches, as it was last seen."""

    id: str
    host: str
    pid: int
    started: float  # seconds since the epoch, as is `seen`
    seen: float
    alive: bool
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyRecord:
    """A sweep: what is searched, how, by whom, and every trial."""

    name: str
    workload: str
    objectives: tuple[Objective, ...]
    space: Mapping[str, Any]
    settings: Mapping[str, Any]
    control: str
    drivers: tuple[Driver, ...]
    trials: tuple[TrialRecord, ...]

    @property
    def objective(self) -> Objective:
        """The first objective, which most views are about."""
        return self.objectives[0]

    @property
    def target(self) -> int | None:
        """The number of configurations to try; None where only time limits it."""
        target: int | None = self.settings.get("trials")
        return target

    @property
    def epochs(self) -> float:
        """The full budget of a trial."""
        return float(self.space["budget"]["epochs"])

    @cached_property
    def counts(self) -> dict[str, int]:
        """Trials by state."""
        counts = dict.fromkeys(("waiting", "running", *FINISHED), 0)
        for trial in self.trials:
            counts[trial.state] += 1
        return counts

    @cached_property
    def configurations(self) -> tuple[Configuration, ...]:
        """The trials by configuration, in the order in which they were proposed."""
        groups: dict[int, list[TrialRecord]] = {}
        for trial in self.trials:
            groups.setdefault(trial.config, []).append(trial)
        return tuple(Configuration(number, tuple(group)) for number, group in groups.items())

    @cached_property
    def best(self) -> Configuration | None:
        """The best configuration by its mean, among those with the most complete seeds."""
        done = [c for c in self.configurations if c.complete]
        if not done:
            return None
        most = max(len(c.complete) for c in done)
        means = {c.number: c.mean() or 0.0 for c in done}
        best = max if self.objective.direction == "maximize" else min
        return best((c for c in done if len(c.complete) == most), key=lambda c: means[c.number])

    @cached_property
    def default(self) -> Configuration | None:
        """The trainer's own configuration, where the search has tried it."""
        return next((c for c in self.configurations if c.trials[0].default), None)

    @property
    def eta(self) -> float | None:
        """A guess at the seconds to the end, from the pace so far."""
        started = [trial.started for trial in self.trials if trial.started]
        ended = [trial.ended for trial in self.trials if trial.ended]
        if self.target is None or not self.alive or not started or not ended:
            return None
        left = self.target - len(self.configurations)
        left += self.counts["waiting"] + self.counts["running"]
        return (max(ended) - min(started)).total_seconds() / len(ended) * left

    @property
    def alive(self) -> bool:
        """Whether some process searches now."""
        return any(driver.alive for driver in self.drivers)

    @property
    def done(self) -> bool:
        """Whether nothing is left to try."""
        if self.counts["waiting"] or self.counts["running"]:
            return False
        return self.target is not None and len(self.configurations) >= self.target

    @property
    def state(self) -> str:
        """One word: running, paused, stopping, finished, stopped or interrupted."""
        if self.alive:
            return {"pause": "paused", "stop": "stopping", "cancel": "stopping"}.get(
                self.control, "running"
            )
        if self.done:
            return "finished"
        return "stopped" if self.control in {"stop", "cancel"} else "interrupted"
