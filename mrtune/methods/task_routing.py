"""TR: Task Routing, a random partition that stays as it is."""

from typing import ClassVar, Literal

from pydantic import Field

from mrtune.methods.learner import Learner
from mrtune.methods.max_roaming import MaxRoaming, Share
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup


class TaskRouting(Method):
    """Task Routing: each task holds a fixed random share of every layer's units."""

    name: ClassVar[str] = "tr"

    p: Share = Field(0.9, description="share of every layer's units that a task holds")
    init: Literal["exact", "bernoulli"] = Field("exact", description="how the partition is drawn")

    def build(self, setup: Setup) -> Learner:
        """Maximum Roaming with r = 0."""
        return MaxRoaming(p=self.p, init=self.init, r=0.0).build(setup)
