"""The roaming of a trial, replayed from what the study keeps of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from dashboards.parts.query import picked
from dashboards.roam import MOST_PANELS
from mrtune.roaming import Origin, Plan
from mrtune.roaming.history import Course, Moment, moments_of, replay_network
from mrtune.study import TrialRecord

ALL = "all"


@dataclass(frozen=True)
class RoamingInfo:
    """A layer of a trial while it trained."""

    layers: Mapping[str, int]  # units of each
    layer: str
    names: tuple[str, ...]  # of the tasks
    task: str  # the number of the one that is shown, or ALL
    moments: tuple[Moment, ...]

    @property
    def tasks(self) -> dict[int, str]:
        """The tasks that are shown, by their numbers."""
        if self.task != ALL:
            return {int(self.task): self.names[int(self.task)]}
        return dict(enumerate(self.names[:MOST_PANELS]))


def origin_of(trial: TrialRecord) -> Mapping[str, Any] | None:
    """Return what the roaming of a trial follows from, if it roams."""
    origin: Mapping[str, Any] | None = trial.network.get("roaming")
    return origin


def roaming_info(
    trial: TrialRecord, origin: Mapping[str, Any], query: Mapping[str, str]
) -> RoamingInfo:
    """Replay the chosen layer as far as the trial has come."""
    layers: Mapping[str, int] = origin["units"]
    layer = picked(query, "layer", layers, max(layers, key=layers.__getitem__))
    names = [str(name) for name in trial.network.get("tasks", ())]
    names += [f"task {task}" for task in range(len(names), origin["tasks"])]
    task = picked(query, "task", map(str, range(len(names))), ALL)
    courses, plan = _replayed(json.dumps(origin), trial.epoch if trial.finished else None)
    done = [(epoch, state) for epoch, state in courses[layer] if epoch <= trial.epoch + 1e-9]
    return RoamingInfo(layers, layer, tuple(names), task, tuple(moments_of(done, plan)))


@lru_cache(maxsize=4)
def _replayed(text: str, epochs: float | None) -> tuple[Mapping[str, Course], Plan]:
    """Replay a network once: it takes seconds, and any of its layers may be looked at next.

    A trial that still trains is replayed to the end of its plan, and cut when it is shown.
    """
    origin = Origin(**json.loads(text))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # partitions are small: more threads only wait for each other
    try:
        return replay_network(origin, epochs), origin.plan
    finally:
        torch.set_num_threads(threads)
