"""The life of one layer's partition, simulated without a network."""

from dataclasses import dataclass

import torch
from torch import Tensor

from mrtune.roaming.measures import coverage, expected_visited_share, overlap, visited_share
from mrtune.roaming.plan import Plan
from mrtune.roaming.roamer import LayerState, Roamer

UNVISITED, LEFT, HELD, ENTERED = range(4)


@dataclass(frozen=True)
class Moment:
    """A layer after an update: what each task does with each unit, and the layer in numbers."""

    epoch: float
    state: LayerState
    status: Tensor  # int [task, unit]: UNVISITED, LEFT, HELD or ENTERED
    coverage: float
    overlap: float
    visited: float
    expected: float  # the visited share by Eq. 4


def simulate(
    units: int,
    tasks: int,
    p: float,
    plan: Plan,
    seed: int,
    *,
    init: str = "exact",
    selection: str = "uniform",
    coverage_guard: bool = True,
    epochs: float | None = None,
) -> list[Moment]:
    """Let one layer roam to the end of its plan, or of `epochs`, and return every state of it.

    Filters do not learn here: the cosine selection compares random ones.
    """
    generator = torch.Generator().manual_seed(seed)
    roamer = Roamer.start(
        {"layer": units},
        tasks,
        p,
        plan,
        generator,
        init=init,
        selection=selection,
        coverage_guard=coverage_guard,
    )
    filters = {"layer": torch.randn(units, 27, generator=generator)}
    state = roamer.layers["layer"]
    updates = int(state.planned(plan).max())
    moments = [_moment(state, None, plan, 0.0)]
    for step in range(1, updates + 1):
        iteration = plan.iteration_of(step, updates)
        if epochs is not None and iteration > plan.iterations(epochs):
            break
        roamer.advance(iteration, filters)
        epoch = iteration / plan.batches_per_epoch
        moments.append(_moment(roamer.layers["layer"], moments[-1].state, plan, epoch))
    return moments


def _moment(state: LayerState, before: LayerState | None, plan: Plan, epoch: float) -> Moment:
    status = torch.where(state.visited, LEFT, UNVISITED)
    status[state.active] = HELD
    if before is not None:
        status[state.active & ~before.active] = ENTERED
    tasks, units = state.active.shape
    steps = state.planned(plan).clamp(max=state.step).tolist()  # a row that is done stands still
    held = state.active.sum(dim=1).tolist()
    rows = [expected_visited_share(h, units, s) for h, s in zip(held, steps, strict=True)]
    return Moment(
        epoch=epoch,
        state=state,
        status=status,
        coverage=coverage(state.active),
        overlap=overlap(state.active),
        visited=visited_share(state.visited),
        expected=sum(rows) / tasks,
    )
