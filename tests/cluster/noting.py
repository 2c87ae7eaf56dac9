"""A trainer that notes which GPUs it was given, and when."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mrtune.training.resolve import load_trainer

QUADRATIC: Any = load_trainer(str(Path(__file__).parent.parent / "search" / "quadratic.py"))
PATIENCE = 120.0  # seconds for the others to arrive


class Noting(QUADRATIC.Quadratic):  # type: ignore[misc]
    def step(self) -> dict[str, float]:
        path = Path(self.config["notes"]) / f"{os.getpid()}.jsonl"
        path.touch()
        wait_for_others(path.parent, self.config["together"])
        started = time.time()
        report: dict[str, float] = super().step()
        gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        note = {"gpus": gpus, "trial": self.config["x"], "from": started, "to": time.time()}
        with path.open("a") as file:
            file.write(json.dumps(note) + "\n")
        return report


def wait_for_others(notes: Path, together: int) -> None:
    """Begin together, however long some processes take to start; alone if they do not come."""
    deadline = time.time() + PATIENCE
    while len(list(notes.iterdir())) < together and time.time() < deadline:
        time.sleep(0.05)


DEFAULTS = QUADRATIC.DEFAULTS | {"together": 1}


def build(config: Mapping[str, Any], seed: int, device: str) -> Noting:
    assert device == "cpu"  # where Ray's GPUs are not there, the processor does the work
    return Noting(config, seed)
