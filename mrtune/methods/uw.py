"""Uncertainty weighting (Kendall et al., 2018)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor

from mrtune.methods.balanced import Losses
from mrtune.methods.scalarised import LossWeighted, ScalarBalancer
from mrtune.methods.setup import Setup
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.scalarization import Scalarizer


class UW(LossWeighted):
    """Uncertainty weighting: each task's weight is its learnt inverse variance."""

    name: ClassVar[str] = "uw"

    weight_lr: float = Field(1e-3, gt=0, description="learning rate of the variances")

    def balancer(self, setup: Setup) -> ScalarBalancer:
        """Wrap TorchJD's rule."""
        with needs_torchjd():
            from torchjd.scalarization import UW as Rule
        return UncertaintyBalancer(Rule(setup.tasks).to(setup.device), self.weight_lr)


class UncertaintyBalancer(ScalarBalancer):
    """Learns the variances with an optimiser of their own."""

    def __init__(self, scalariser: "Scalarizer", lr: float) -> None:
        super().__init__(scalariser)
        self._optimiser = torch.optim.Adam(scalariser.parameters(), lr=lr)

    def weights(self, losses: Losses) -> Tensor:
        """Return the weights of this batch, and learn from it."""
        self._optimiser.zero_grad()
        weights = super().weights(losses)
        self._optimiser.step()
        return weights

    def state_dict(self) -> dict[str, Any]:
        """Return the variances and their optimiser."""
        return {
            "scalariser": self.scalariser.state_dict(),
            "optimiser": self._optimiser.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.scalariser.load_state_dict(state["scalariser"])
        self._optimiser.load_state_dict(state["optimiser"])
