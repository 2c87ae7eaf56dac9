"""A trainer file as a user would write one without torch: its score nears 1 − (x − 0.3)²."""

import time
from collections.abc import Mapping
from typing import Any

DEFAULTS = {"epochs": 5, "x": 0.5, "pause": 0.0}


class Quadratic:
    def __init__(self, config: Mapping[str, Any], seed: int) -> None:
        self.config = config
        self.seed = seed
        self.epoch = 0

    @property
    def finished(self) -> bool:
        return self.epoch >= self.config["epochs"]

    def step(self) -> dict[str, float]:
        time.sleep(self.config["pause"])
        self.epoch += 1
        reached = 1 - 0.5**self.epoch
        score = reached * (1 - (self.config["x"] - 0.3) ** 2) + 1e-3 * self.seed
        return {"epoch": float(self.epoch), "score": score, "loss": 1 - score}

    def evaluate(self, split: str) -> dict[str, float]:
        return {"score": 1 - (self.config["x"] - 0.3) ** 2} if split == "val" else {}

    def state(self) -> dict[str, Any]:
        return {"epoch": self.epoch}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.epoch = state["epoch"]


def build(config: Mapping[str, Any], seed: int, device: str) -> Quadratic:  # noqa: ARG001
    return Quadratic(config, seed)
