"""The life of one layer's partition, simulated without a network, or replayed."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from mrtune.errors import ParameterError
from mrtune.roaming.measures import coverage, expected_visited_share, overlap, visited_share
from mrtune.roaming.origin import Origin
from mrtune.roaming.plan import Plan
from mrtune.roaming.roamer import LayerState, Roamer

UNVISITED, LEFT, HELD, ENTERED = range(4)

Course = list[tuple[float, LayerState]]  # epochs at which a layer changed, and what it became


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
    origin = Origin(
        units={"layer": units},
        tasks=tasks,
        p=p,
        batches_per_epoch=plan.batches_per_epoch,
        delta=plan.delta,
        finish_at=plan.finish_at,
        r=plan.r,
        seed=seed,
        init=init,
        selection=selection,
        coverage_guard=coverage_guard,
    )
    roamer = origin.roamer()
    filters = {"layer": torch.randn(units, 27, generator=roamer.generator)}
    return moments_of(_watch(roamer, epochs, filters)["layer"], plan)


def replay(origin: Origin, layer: str, epochs: float | None = None) -> list[Moment]:
    """Let a network roam again as it did in training, and return every state of one layer."""
    if layer not in origin.units:
        raise ParameterError("layer", f"one of {', '.join(origin.units)}", layer)
    return moments_of(replay_network(origin, epochs)[layer], origin.plan)


def replay_network(origin: Origin, epochs: float | None = None) -> dict[str, Course]:
    """Let a network roam again as it did in training, and return every state of all layers."""
    if origin.selection == "cosine":
        raise ParameterError("selection", "uniform: others depend on weights", origin.selection)
    return _watch(origin.roamer(), epochs)


def moments_of(course: Course, plan: Plan) -> list[Moment]:
    """Look closely at every state of a layer."""
    befores = [None, *(state for _, state in course)]
    return [
        _moment(state, before, plan, epoch)
        for (epoch, state), before in zip(course, befores, strict=False)
    ]


def status_of(state: LayerState, before: LayerState | None) -> Tensor:
    """Say what each task does with each unit, and what it has entered since an earlier state."""
    status = torch.where(state.visited, LEFT, UNVISITED)
    status[state.active] = HELD
    if before is not None:
        status[state.active & ~before.active] = ENTERED
    return status


def _watch(
    roamer: Roamer, epochs: float | None, weights: Mapping[str, Tensor] | None = None
) -> dict[str, Course]:
    """Move all layers on, since they share one source of chance, and note what changes."""
    plan = roamer.plan
    courses = {name: [(0.0, state)] for name, state in roamer.layers.items()}
    for iteration in _iterations(roamer):
        if epochs is not None and iteration > plan.iterations(epochs):
            break
        for name in roamer.advance(iteration, weights):
            courses[name].append((iteration / plan.batches_per_epoch, roamer.layers[name]))
    return courses


def _iterations(roamer: Roamer) -> list[int]:
    """Return the iterations after which some layer has a swap to make."""
    updates = {int(layer.planned(roamer.plan).max()) for layer in roamer.layers.values()}
    return sorted({roamer.plan.iteration_of(step, n) for n in updates for step in range(1, n + 1)})


def _moment(state: LayerState, before: LayerState | None, plan: Plan, epoch: float) -> Moment:
    tasks, units = state.active.shape
    steps = state.planned(plan).clamp(max=state.step).tolist()  # a row that is done stands still
    held = state.active.sum(dim=1).tolist()
    rows = [expected_visited_share(h, units, s) for h, s in zip(held, steps, strict=True)]
    return Moment(
        epoch=epoch,
        state=state,
        status=status_of(state, before),
        coverage=coverage(state.active),
        overlap=overlap(state.active),
        visited=visited_share(state.visited),
        expected=sum(rows) / tasks,
    )
