"""A trainer that notes which GPUs it was given, and when."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mrtune.training.resolve import load_trainer

QUADRATIC: Any = load_trainer(str(Path(__file__).parent.parent / "search" / "quadratic.py"))


class Noting(QUADRATIC.Quadratic):  # type: ignore[misc]
    def step(self) -> dict[str, float]:
        started = time.time()
        report: dict[str, float] = super().step()
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        note = {"gpus": gpus, "trial": self.config["x"], "from": started, "to": time.time()}
        path = Path(self.config["notes"]) / f"{os.getpid()}.jsonl"
        with path.open("a") as file:
            file.write(json.dumps(note) + "\n")
        return report


DEFAULTS = QUADRATIC.DEFAULTS


def build(config: Mapping[str, Any], seed: int, device: str) -> Noting:
    assert device == "cpu"  # where Ray's GPUs are not there, the processor does the work
    return Noting(config, seed)
