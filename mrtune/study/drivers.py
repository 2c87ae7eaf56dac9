"""The processes that search a study: who they are, and whether they still live."""

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import optuna

from mrtune.study.keys import DRIVER
from mrtune.study.records import Driver

LOST_AFTER = 30.0  # seconds without a sign of life from another host


@dataclass
class Heartbeat:
    """Signs of life of this process in a study."""

    study: optuna.Study
    id: str  # that it signs its trials with
    started: float = field(default_factory=time.time)

    def beat(self, **about: Any) -> None:
        """Say that this process lives, and what it does."""
        content = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "born": _born(os.getpid()),
            "started": self.started,
            "seen": time.time(),
            "about": about,
        }
        self.study.set_user_attr(DRIVER + self.id, content)

    def stop(self) -> None:
        """Say that this process does not search any more."""
        self.study.set_user_attr(DRIVER + self.id, None)


def drivers_of(attributes: Mapping[str, Any]) -> tuple[Driver, ...]:
    """Read the drivers from the attributes of a study, those that signed off left out."""
    return tuple(
        Driver(
            id=key.removeprefix(DRIVER),
            host=content["host"],
            pid=content["pid"],
            started=content["started"],
            seen=content["seen"],
            alive=_alive(content),
            about=content["about"],
        )
        for key, content in attributes.items()
        if key.startswith(DRIVER) and content
    )


def _alive(content: Mapping[str, Any]) -> bool:
    """Ask the process table where it is ours, else go by the last sign of life."""
    if content["host"] == socket.gethostname() and content["born"] is not None:
        return bool(_born(content["pid"]) == content["born"])
    return time.time() - float(content["seen"]) < LOST_AFTER


def _born(pid: int) -> int | None:
    """Return when a process started, which tells it from a later one with its number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    state, start = fields[0], int(fields[19])
    return None if state in "ZX" else start
