"""TR: Task Routing, a random partition that stays as it is."""

from typing import ClassVar, Literal

from pydantic import Field

from mrtune.methods.learner import Learner
from mrtune.methods.max_roaming import MaxRoaming
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup
from mrtune.methods.sharing import SHARING, Sharing


class TaskRouting(Method):
    """Task Routing: each task holds a fixed random share of every layer's units."""

    name: ClassVar[str] = "tr"

    p: Sharing = Field(0.9, description=SHARING)
    init: Literal["exact", "bernoulli"] = Field("exact", description="how the partition is drawn")

    def build(self, setup: Setup) -> Learner:
        """Maximum Roaming with r = 0."""
        return MaxRoaming(p=self.p, init=self.init, r=0.0).build(setup)
