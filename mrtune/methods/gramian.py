"""Weights from the Gramian of the tasks' gradients, by a rule of TorchJD's."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from mrtune.methods.balanced import (
    BalancedLearner,
    Balancer,
    Losses,
    shared_parameters,
)
from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup, seeded

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class GradientWeighted(Method):
    """A method whose weights follow from the Gramian of the gradients of the shared parameters."""

    def build(self, setup: Setup) -> Learner:
        """Share everything."""
        return BalancedLearner(setup, GramianBalancer(self.weighting(), setup.generator()))

    @abstractmethod
    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""


class GramianBalancer(Balancer):
    """Takes every task's gradient once and weighs tasks by how the gradients lie to each other."""

    def __init__(self, weighting: "Weighting[Any]", generator: torch.Generator) -> None:
        self._weighting = weighting
        self._generator = generator  # some rules visit the tasks in random order

    def weights(self, losses: Losses) -> Tensor:
        """Return the weights of this batch."""
        gradients = losses.gradients(shared_parameters(losses.network))
        seed = int(torch.randint(2**31, (), generator=self._generator, device=gradients.device))
        with seeded(seed):
            weights: Tensor = self._weighting(gradients @ gradients.T)
        return weights.detach().to(gradients.dtype)

    def state_dict(self) -> dict[str, Any]:
        """Return where chance stands."""
        return {"generator": self._generator.get_state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self._generator.set_state(state["generator"])
