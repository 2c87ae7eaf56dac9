"""Layers that hypothesis draws, and what must hold of any of them."""

from dataclasses import dataclass
from itertools import pairwise

import torch
from hypothesis import strategies as st

from mrtune.roaming import LayerState, Plan, Roamer


@dataclass(frozen=True)
class Layer:
    units: int
    tasks: int
    p: float
    r: float
    seed: int
    init: str = "exact"
    selection: str = "uniform"
    coverage_guard: bool = True

    def start(self) -> Roamer:
        """A roamer over this one layer that swaps at every iteration."""
        return Roamer.start(
            {"layer": self.units},
            self.tasks,
            self.p,
            Plan(batches_per_epoch=1, delta=1, r=self.r),
            torch.Generator().manual_seed(self.seed),
            init=self.init,
            selection=self.selection,
            coverage_guard=self.coverage_guard,
        )

    def filters(self) -> dict[str, torch.Tensor]:
        generator = torch.Generator().manual_seed(self.seed + 1)
        return {"layer": torch.randn(self.units, 2, 3, 3, generator=generator)}


def states(layer: Layer) -> list[LayerState]:
    """Every state from the first partition to the end of the plan."""
    roamer, filters = layer.start(), layer.filters()
    seen = [roamer.layers["layer"]]
    while roamer.advance(len(seen), filters):
        seen.append(roamer.layers["layer"])
    return seen


shares = st.one_of(
    st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1 / 3, 1 - 0.9]), st.floats(0, 1)
)
layers = st.builds(
    Layer,
    units=st.integers(1, 40),
    tasks=st.integers(1, 9),
    p=shares,
    r=shares,
    seed=st.integers(0, 2**32),
    init=st.sampled_from(["exact", "bernoulli"]),
    selection=st.sampled_from(["uniform", "cosine"]),
    coverage_guard=st.booleans(),
)


def assert_rows_keep_size(seen: list[LayerState]) -> None:
    for before, after in pairwise(seen):
        assert torch.equal(before.active.sum(dim=1), after.active.sum(dim=1))


def assert_one_unit_a_task_at_most(seen: list[LayerState]) -> None:
    """Definition 1: what enters was not visited, what leaves was held, one of each at a time."""
    for before, after in pairwise(seen):
        entering = after.active & ~before.active
        leaving = before.active & ~after.active
        assert not (entering & before.visited).any()
        assert torch.equal(after.visited, before.visited | entering)
        assert entering.sum(dim=1).max() <= 1
        assert torch.equal(entering.sum(dim=1), leaving.sum(dim=1))
