"""Partitions, training steps and comparisons shared by the tests of networks."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from mrtune.nn import PartitionedNetwork, partition

TOLERANCE = 1e-10
TASKS = 3


def draw_partition(units: dict[str, int], tasks: int, p: float, seed: int) -> dict[str, Tensor]:
    """Draw rows of one size at random, every unit with a task."""
    rng = torch.Generator().manual_seed(seed)
    return {name: _draw(size, tasks, p, rng) for name, size in units.items()}


def _draw(units: int, tasks: int, p: float, rng: torch.Generator) -> Tensor:
    active = torch.zeros(tasks, units, dtype=torch.bool)
    active[torch.arange(units) % tasks, torch.randperm(units, generator=rng)] = True
    for row in active:
        free = (~row).nonzero().squeeze(1)
        missing = max(0, math.ceil(p * units - 1e-9) - int(row.sum()))
        row[free[torch.randperm(len(free), generator=rng)[:missing]]] = True
    return active


def pair(
    network: nn.Module, tasks: int = TASKS, fast: str = "compact", **options: Any
) -> list[PartitionedNetwork]:
    """Return the same network in its dense and in a fast execution."""
    return [
        partition(copy.deepcopy(network), tasks, execution=execution, **options)
        for execution in ("dense", fast)
    ]


@dataclass(frozen=True)
class Outcome:
    """All that a step computes."""

    features: dict[str, Tensor]
    gradients: dict[str, Tensor]
    buffers: dict[str, Tensor]


Step = Callable[[PartitionedNetwork, Tensor], list[Tensor]]


def loss(features: Tensor, task: int) -> Tensor:
    """A loss whose gradient differs from task to task and from feature to feature."""
    rng = torch.Generator().manual_seed(task)
    direction = torch.randn(features.shape, dtype=features.dtype, generator=rng)
    return (features * direction).mean() + features.square().mean()


def one_by_one(net: PartitionedNetwork, x: Tensor) -> list[Tensor]:
    """Run each task by itself."""
    features = [net(x, task) for task in range(net.tasks)]
    for task, feature in enumerate(features):
        loss(feature, task).backward()
    return features


def many_backwards(net: PartitionedNetwork, x: Tensor) -> list[Tensor]:
    """Run the tasks in a shared block, each with its own backward."""
    features = []
    with net.shared(x) as run:
        for task in range(net.tasks):
            features.append(run.features(task))
            loss(features[-1], task).backward()
    return features


def one_backward_in_block(net: PartitionedNetwork, x: Tensor) -> list[Tensor]:
    """Run the tasks in a shared block with one backward of the sum."""
    with net.shared(x) as run:
        features = [run.features(task) for task in range(net.tasks)]
        torch.stack([loss(f, t) for t, f in enumerate(features)]).sum().backward()
    return features


def one_backward(net: PartitionedNetwork, x: Tensor) -> list[Tensor]:
    """Run the tasks in one connected graph."""
    run = net.shared(x)
    features = [run.features(task) for task in range(net.tasks)]
    torch.stack([loss(f, t) for t, f in enumerate(features)]).sum().backward()
    return features


STEPS: tuple[Step, ...] = (one_by_one, many_backwards, one_backward_in_block, one_backward)


def outcome(net: PartitionedNetwork, x: Tensor, step: Step = one_by_one) -> Outcome:
    """Take one step from zero gradients."""
    net.zero_grad()
    features = step(net, x)
    return Outcome(
        {str(task): f.detach() for task, f in enumerate(features)},
        {n: _gradient(p) for n, p in net.named_parameters()},
        {n: b.clone() for n, b in net.named_buffers()},
    )


def assert_same(ours: Outcome, reference: Outcome, tolerance: float = TOLERANCE) -> None:
    """Compare features, every parameter's gradient, and norm statistics."""
    for kind in ("features", "gradients", "buffers"):
        got, wanted = getattr(ours, kind), getattr(reference, kind)
        assert got.keys() == wanted.keys()
        for name in wanted:
            message = f"{kind} {name}"
            torch.testing.assert_close(
                got[name],
                wanted[name],
                rtol=0,
                atol=tolerance,
                msg=lambda m, n=message: f"{n}: {m}",
            )


def assert_steps_same(
    compact: PartitionedNetwork,
    dense: PartitionedNetwork,
    x: Tensor,
    steps: Sequence[Step] = STEPS[:2],
) -> None:
    """Compare each way to take a step with the reference, all from the same state."""
    start = copy.deepcopy(dense.state_dict())
    wanted = outcome(dense, x)
    for step in steps:
        compact.load_state_dict(start)
        assert_same(outcome(compact, x, step), wanted)


def _gradient(parameter: nn.Parameter) -> Tensor:
    # None and zeros are not alike to an optimiser with momentum, so they are told apart.
    missing = torch.tensor(torch.nan)
    return missing if parameter.grad is None else parameter.grad.clone()
