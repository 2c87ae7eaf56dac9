"""GradNorm (Chen et al., 2018): weights that make tasks train at similar rates."""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor

from mrtune.methods.balanced import BalancedLearner, Balancer, Losses
from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup


class GradNorm(Method):
    """Shared network; trained weights equalise the tasks' gradient norms and learning rates."""

    name: ClassVar[str] = "gradnorm"

    alpha: float = Field(0.5, ge=0, description="how strongly slow tasks are pulled along")
    weight_lr: float = Field(0.025, gt=0, description="learning rate of the task weights")

    def build(self, setup: Setup) -> Learner:
        """Share everything and train the weights beside the network."""
        balancer = GradNormBalancer(setup.tasks, self.alpha, self.weight_lr, setup.device)
        return BalancedLearner(setup, balancer)


class GradNormBalancer(Balancer):
    """Moves each task's gradient norm on the last shared convolution towards its target.

    The norm of the weighted gradient is w·‖∇L‖, so the gradient of the balancing loss
    Σ|w·‖∇L‖ − target| with respect to w needs no second derivative.
    """

    def __init__(self, tasks: int, alpha: float, lr: float, device: str) -> None:
        self._alpha = alpha
        self._weights = torch.ones(tasks, device=device)
        self._optimiser = torch.optim.Adam([self._weights], lr=lr)
        self._first: Tensor | None = None  # the losses of the very first batch

    def weights(self, losses: Losses) -> Tensor:
        """Take one step on the weights, and return those from before it."""
        values = losses.values.detach()
        if self._first is None:
            self._first = values.clone()
        used = self._weights.clone()
        last = losses.network.weight(list(losses.network.units)[-1])
        self._learn(losses.gradients([last]).norm(dim=1).detach(), values / self._first)
        return used

    def _learn(self, norms: Tensor, ratio: Tensor) -> None:
        """Step on the weights and renormalise them to sum T."""
        weighted = self._weights * norms
        target = weighted.mean() * (ratio / ratio.mean()) ** self._alpha
        self._weights.grad = torch.sign(weighted - target) * norms
        self._optimiser.step()
        self._weights.clamp_(min=1e-6)  # a step must not turn a task against itself
        self._weights.mul_(len(self._weights) / self._weights.sum())

    def state_dict(self) -> dict[str, Any]:
        """Return the weights, their optimiser and the first losses."""
        return {
            "weights": self._weights,
            "optimiser": self._optimiser.state_dict(),
            "first": self._first,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self._weights.copy_(state["weights"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._first = state["first"]
