"""MGDA-UB (Sener and Koltun, 2018): the shortest convex combination of the tasks' gradients."""

from typing import ClassVar

from pydantic import Field
from torch import Tensor

from mrtune.methods.balanced import BalancedLearner, Balancer, Losses
from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.min_norm import min_norm_weights
from mrtune.methods.setup import Setup


class MGDAUB(Method):
    """Shared network; weights give the min-norm combination of gradients at the shared features."""

    name: ClassVar[str] = "mgda"

    tolerance: float = Field(1e-9, gt=0, description="duality gap at which the solver stops")
    max_iters: int = Field(10_000, ge=1, description="cap on the solver's iterations")

    def build(self, setup: Setup) -> Learner:
        """Share everything."""
        return BalancedLearner(setup, MGDABalancer(self.tolerance, self.max_iters))


class MGDABalancer(Balancer):
    """Solves the min-norm problem on gradients with respect to the shared features."""

    def __init__(self, tolerance: float, max_iters: int) -> None:
        self._tolerance = tolerance
        self._max_iters = max_iters

    def weights(self, losses: Losses) -> Tensor:
        """Return the min-norm weights of this batch."""
        gradients = losses.feature_gradients()
        gramian = gradients.double() @ gradients.double().T
        return min_norm_weights(gramian, self._tolerance, self._max_iters).to(gradients.dtype)
