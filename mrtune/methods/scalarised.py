"""Weights from the losses alone, by a scalariser of TorchJD's."""

from abc import abstractmethod
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from mrtune.methods.balanced import BalancedLearner, Balancer, Losses
from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup

if TYPE_CHECKING:
    from torchjd.scalarization import Scalarizer


class LossWeighted(Method):
    """A method whose weights are the slopes of one number made of all the losses."""

    def build(self, setup: Setup) -> Learner:
        """Share everything."""
        return BalancedLearner(setup, self.balancer(setup))

    @abstractmethod
    def balancer(self, setup: Setup) -> "ScalarBalancer":
        """Wrap TorchJD's rule."""


class ScalarBalancer(Balancer):
    """Weighs each task by what its loss adds to the scalariser's number."""

    def __init__(self, scalariser: "Scalarizer") -> None:
        self.scalariser = scalariser

    def weights(self, losses: Losses) -> Tensor:
        """Return the slopes at this batch's losses."""
        values = losses.values.detach().requires_grad_()
        with torch.enable_grad():
            torch.autograd.backward(self.scalariser(values))
        assert values.grad is not None  # backward has just filled it
        return values.grad
