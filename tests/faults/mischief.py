"""A trainer file whose trainings go wrong in every way that they can."""

import ctypes
import math
import os
import resource
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DEFAULTS = {"epochs": 4, "what": "fine", "x": 0.5}
HOUR = 3600


class Mischief:
    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config
        self.epoch = 0

    @property
    def finished(self) -> bool:
        return self.epoch >= self.config["epochs"]

    def step(self) -> dict[str, float]:
        self.epoch += 1
        time.sleep(0.05)
        if self.epoch == 3:
            getattr(self, f"be_{self.config['what']}")()
        nan = self.config["what"] == "nan" and self.epoch == 3
        score = math.nan if nan else self.config["x"] + self.epoch / 100
        return {"epoch": float(self.epoch), "score": score}

    def be_fine(self) -> None:
        pass

    be_nan = be_fine

    def be_raising(self) -> None:
        raise ValueError("no such luck")

    def be_hanging(self) -> None:
        """Hang where Python can do nothing about it: in C, with the interpreter's lock held."""
        ctypes.PyDLL(None).sleep(HOUR)

    def be_hungry(self) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**34, resource.RLIM_INFINITY))
        bytearray(2**40)

    def be_killed(self) -> None:
        """Be killed from outside, but only once."""
        flag = Path(self.config["flag"])
        if not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def be_doomed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def evaluate(self, split: str) -> dict[str, float]:  # noqa: ARG002
        return {}

    def state(self) -> dict[str, Any]:
        return {"epoch": self.epoch}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.epoch = state["epoch"]
        print(f"restored at {self.epoch}")  # noqa: T201


def build(config: Mapping[str, Any], seed: int, device: str) -> Mischief:  # noqa: ARG001
    return Mischief(config)
