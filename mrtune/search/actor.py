"""The Ray actor that trials run in, one after the other."""

from typing import Any

import ray
import torch
from ray import tune

from mrtune.search.attempt import Attempt
from mrtune.search.job import Job

JOB = "job"
OUTCOME = "outcome"


class TrialActor(tune.Trainable):
    """Passes slices of work on to Ray; kept for the next trial, so that imports are paid once."""

    _attempt: Attempt | None = None

    def setup(self, config: dict[str, Any]) -> None:
        """Take on a trial."""
        self._begin(config)

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Take on the next trial."""
        self._begin(new_config)
        return True

    def step(self) -> dict[str, Any]:
        """Do a slice of work."""
        assert self._attempt is not None
        return {OUTCOME: self._attempt.advance().to_json()}

    def cleanup(self) -> None:
        """Let go of the trial."""
        if self._attempt is not None:
            self._attempt.close()

    def _begin(self, config: dict[str, Any]) -> None:
        self.cleanup()
        self._attempt = Attempt(Job(**config[JOB]), _device())


def _device() -> str:
    """Return the device that Ray assigned."""
    return "cuda" if ray.get_gpu_ids() and torch.cuda.is_available() else "cpu"
