"""The roaming of a trial, replayed from what the study keeps of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dashboards.query import picked
from dashboards.roam import MOST_PANELS
from mrtune.roaming import Origin
from mrtune.roaming.history import Moment, replay
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
    layer = picked(query, "layer", layers, next(iter(layers)))
    names = [str(name) for name in trial.network.get("tasks", ())]
    names += [f"task {task}" for task in range(len(names), origin["tasks"])]
    task = picked(query, "task", map(str, range(len(names))), ALL)
    moments = _moments(json.dumps(origin), layer, trial.epoch if trial.finished else None)
    done = tuple(moment for moment in moments if moment.epoch <= trial.epoch + 1e-9)
    return RoamingInfo(layers, layer, tuple(names), task, done or moments[:1])


@lru_cache(maxsize=8)
def _moments(origin: str, layer: str, epochs: float | None) -> tuple[Moment, ...]:
    """Replay once: a trial that still trains is replayed to the end of its plan, and then cut."""
    return tuple(replay(Origin(**json.loads(origin)), layer, epochs))
