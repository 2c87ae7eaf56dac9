"""Fast adaptive multitask optimisation (Liu et al., 2023)."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor

from mrtune.methods.scalarised import LossWeighted, ScalarBalancer
from mrtune.methods.setup import Setup
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    import torchjd.scalarization


class FAMO(LossWeighted):
    """FAMO: weights that let all losses fall at the same relative rate."""

    name: ClassVar[str] = "famo"

    weight_lr: float = Field(0.025, gt=0, description="learning rate of the weights")
    logit_decay: float = Field(1e-3, ge=0, description="pull of the weights to equality")

    def balancer(self, setup: Setup) -> ScalarBalancer:
        """Wrap TorchJD's rule."""
        with needs_torchjd():
            from torchjd.scalarization import FAMO as Rule
        rule = Rule(setup.tasks, lr=self.weight_lr, weight_decay=self.logit_decay)
        return RateBalancer(rule.to(setup.device))


class RateBalancer(ScalarBalancer):
    """Learns from what each update did to the losses of its own batch."""

    scalariser: "torchjd.scalarization.FAMO"

    def stepped(self, losses_again: Callable[[], Tensor]) -> None:
        """Compare the losses before and after the update."""
        self.scalariser.update(losses_again())

    def state_dict(self) -> dict[str, Any]:
        """Return the logits and their optimiser, which TorchJD makes at the first update."""
        optimiser = self.scalariser._optimizer
        return {
            "scalariser": self.scalariser.state_dict(),
            "optimiser": optimiser and optimiser.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.scalariser.load_state_dict(state["scalariser"])
        if state["optimiser"]:
            rule = self.scalariser
            rule._optimizer = torch.optim.Adam(
                [rule._w],
                lr=rule.lr,
                weight_decay=rule.weight_decay,
            )
            rule._optimizer.load_state_dict(state["optimiser"])
