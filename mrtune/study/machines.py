"""The machines that a study is searched on, as its drivers and its trials tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mrtune.study.records import StudyRecord, TrialRecord


@dataclass(frozen=True)
class Machine:
    """A machine, and the trials that run there now."""

    host: str
    alive: bool  # False for one that the cluster has lost
    cpus: float | None  # None where no driver tells
    gpus: float | None
    trials: tuple[TrialRecord, ...]


def machines_of(record: StudyRecord) -> tuple[Machine, ...]:
    """Ask the drivers, and else the running trials themselves, where they are."""
    told = _told(record)
    running: dict[str, list[TrialRecord]] = {host: [] for host in told}
    for trial in record.trials:
        if trial.state == "running" and "host" in trial.place:
            running.setdefault(str(trial.place["host"]), []).append(trial)
    return tuple(
        Machine(
            host=host,
            alive=bool(told.get(host, {}).get("alive", True)),
            cpus=told.get(host, {}).get("cpus"),
            gpus=told.get(host, {}).get("gpus"),
            trials=tuple(trials),
        )
        for host, trials in sorted(running.items())
    )


def unplaced(record: StudyRecord) -> tuple[TrialRecord, ...]:
    """Return the trials that were handed out and wait for room, or for their worker to start."""
    if not record.alive:
        return ()
    running = (trial for trial in record.trials if trial.state == "running")
    return tuple(trial for trial in running if "host" not in trial.place)


def _told(record: StudyRecord) -> dict[str, Mapping[str, Any]]:
    """Return what the last word on each machine is; one that has come back is there."""
    told: dict[str, Mapping[str, Any]] = {}
    for driver in sorted(record.drivers, key=lambda driver: driver.seen):
        nodes = (driver.about.get("nodes") or ()) if driver.alive else ()
        for node in sorted(nodes, key=lambda node: bool(node.get("alive", True))):
            told[str(node["host"])] = node
    return told
