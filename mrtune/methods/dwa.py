"""Dynamic weight average (Liu et al., 2019)."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from mrtune.methods.scalarised import LossWeighted, ScalarBalancer
from mrtune.methods.setup import Setup
from mrtune.methods.torchjd_extra import needs_torchjd

HISTORY = ("_loss_sum", "_n_batches", "_previous_averages")  # what TorchJD's rule remembers


class DWA(LossWeighted):
    """Dynamic weight average: tasks whose loss falls slowly from epoch to epoch weigh more."""

    name: ClassVar[str] = "dwa"

    temperature: float = Field(2.0, gt=0, description="the higher, the more alike the weights")

    def balancer(self, setup: Setup) -> ScalarBalancer:  # noqa: ARG002
        """Wrap TorchJD's rule."""
        with needs_torchjd():
            from torchjd.scalarization import DWA as Rule
        return EpochBalancer(Rule(self.temperature))


class EpochBalancer(ScalarBalancer):
    """Rolls the history of the losses on at the end of each epoch."""

    def epoch_ended(self) -> None:
        """Close the epoch's average."""
        self.scalariser.step()  # type: ignore[operator]  # DWA has it

    def state_dict(self) -> dict[str, Any]:
        """Return the history of the losses."""
        return {name: getattr(self.scalariser, name) for name in HISTORY}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        for name in HISTORY:
            setattr(self.scalariser, name, state[name])
