"""STL: one network per task."""

from typing import ClassVar

from torch import Tensor, nn

from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup
from mrtune.methods.summed import SummedLearner
from mrtune.nn import PartitionedNetwork
from mrtune.nn.run import Run
from mrtune.nn.support import Value


class STL(Method):
    """One network for each task; nothing is shared."""

    name: ClassVar[str] = "stl"

    def build(self, setup: Setup) -> Learner:
        """Share nothing."""
        bodies = lambda: Separate([setup.body(tasks=1) for _ in range(setup.tasks)])  # noqa: E731
        return SummedLearner(setup.model(bodies), setup.alternating)


class Separate(nn.Module):
    """A body in which each task has a network of its own."""

    def __init__(self, networks: list[PartitionedNetwork]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, x: Tensor, task: int) -> Tensor:
        """Return the features of one task."""
        features: Tensor = self.networks[task](x, 0)
        return features

    def shared(self, x: Tensor) -> Run:
        """Start a batch; the tasks have nothing but the batch in common."""
        return SeparateRun(self, x)


class SeparateRun(Run):
    """A batch for networks that do not meet."""

    def __init__(self, body: Separate, x: Tensor) -> None:
        super().__init__(len(body.networks))
        self._body = body
        self._x = x

    def _compute(self, task: int) -> Value:
        features: Tensor = self._body(self._x, task)
        return features
