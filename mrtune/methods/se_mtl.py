"""SE-MTL: a shared network with squeeze-and-excitation of its own for each task."""

from typing import ClassVar

from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup
from mrtune.methods.summed import SummedLearner


class SEMTL(Method):
    """Shared network with a squeeze-and-excitation per task on every shared convolution."""

    name: ClassVar[str] = "se"

    def build(self, setup: Setup) -> Learner:
        """Put a soft, trainable mask where Maximum Roaming has a hard one."""
        model = setup.model(lambda: setup.body(gate="squeeze"))
        return SummedLearner(model, setup.alternating)
