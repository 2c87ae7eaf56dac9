"""MTL: a fully shared network with uniform task weights."""

from typing import ClassVar

from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup
from mrtune.methods.summed import SummedLearner


class MTL(Method):
    """Fully shared network, losses summed with uniform weights."""

    name: ClassVar[str] = "mtl"

    def build(self, setup: Setup) -> Learner:
        """Share everything."""
        return SummedLearner(setup.model(setup.body), setup.alternating)
