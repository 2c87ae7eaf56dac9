"""MR: Maximum Roaming, a partition whose units visit all the tasks."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from mrtune.methods.learner import Learner
from mrtune.methods.method import Method
from mrtune.methods.setup import Setup
from mrtune.methods.sharing import SHARING, Share, Sharing, ratio
from mrtune.methods.summed import SummedLearner
from mrtune.nn import PartitionedNetwork
from mrtune.roaming import Origin, Plan

DELTA = 0.1  # epochs, as in the paper


class MaxRoaming(Method):
    """Maximum Roaming: every Δ epochs each task swaps a unit of each layer for an unvisited one."""

    name: ClassVar[str] = "mr"

    p: Sharing = Field(0.8, description=SHARING)
    delta: float | None = Field(None, gt=0, description=f"epochs between two swaps ({DELTA})")
    finish_at: float | None = Field(None, gt=0, description="or: epoch at which all swaps are done")
    r: Share = Field(1.0, description="share of the plan that is carried out")
    selection: Literal["uniform", "cosine"] = Field("uniform", description="how units are chosen")
    init: Literal["exact", "bernoulli"] = Field("exact", description="how the partition is drawn")
    coverage_guard: bool = Field(True, description="keep every unit with a task")

    @model_validator(mode="after")
    def _one_clock(self) -> Self:
        if self.delta is not None and self.finish_at is not None:
            raise ValueError("give delta or finish_at, not both")
        return self

    def build(self, setup: Setup) -> Learner:
        """Draw the first partition and roam from it."""
        model = setup.model(setup.body)
        network = model.body
        assert isinstance(network, PartitionedNetwork)  # it is what setup.body builds
        origin = Origin(
            units=network.units,
            tasks=setup.tasks,
            p=ratio(self.p, network.units),
            batches_per_epoch=setup.batches_per_epoch,
            delta=self._delta,
            finish_at=self.finish_at,
            r=self.r,
            seed=setup.seed,
            init=self.init,
            selection=self.selection,
            coverage_guard=self.coverage_guard,
        )
        return SummedLearner(model, setup.alternating, origin)

    def plan(self, batches_per_epoch: int) -> Plan:
        """Say when units are swapped."""
        return Plan(
            batches_per_epoch=batches_per_epoch,
            delta=self._delta,
            finish_at=self.finish_at,
            r=self.r,
        )

    @property
    def _delta(self) -> float | None:
        return DELTA if self.finish_at is None and self.delta is None else self.delta
