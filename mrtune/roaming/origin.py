"""What roaming follows from: a network's whole roaming, as a few numbers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch

from mrtune.roaming.plan import Plan
from mrtune.roaming.ratios import Ratio
from mrtune.roaming.roamer import Roamer


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Plain data that a roaming can be started from, here or elsewhere, and is always the same.

    Only the cosine selection depends on something else: the weights as they are learnt.
    """

    units: Mapping[str, int]
    tasks: int
    p: Ratio
    batches_per_epoch: int
    delta: float | None = None
    finish_at: float | None = None
    r: float = 1.0
    seed: int = 0
    init: str = "exact"
    selection: str = "uniform"
    coverage_guard: bool = True

    @property
    def plan(self) -> Plan:
        """When units are swapped."""
        return Plan(
            batches_per_epoch=self.batches_per_epoch,
            delta=self.delta,
            finish_at=self.finish_at,
            r=self.r,
        )

    def generator(self) -> torch.Generator:
        """Return the source of chance; on the CPU, so that no device draws differently."""
        return torch.Generator().manual_seed(self.seed)

    def roamer(self) -> Roamer:
        """Draw the first partitions."""
        return Roamer.start(
            self.units,
            self.tasks,
            self.p,
            self.plan,
            self.generator(),
            init=self.init,
            selection=self.selection,
            coverage_guard=self.coverage_guard,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)
