"""What every metric of a split can do, and how those of a workload are kept together."""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from mrtune.errors import ParameterError


class Accumulator(Protocol):
    """A running account of outputs against targets.

    It is exact: any cut of a split into batches, in any order, gives the identical result. What has
    no label is skipped; a figure that nothing was counted for is NaN, and so is one that an output
    which is not a number went into.
    """

    def update(self, output: Tensor, target: Tensor) -> None:
        """Take a batch into account."""

    def compute(self) -> dict[str, float]:
        """Return the metrics of all that was seen."""


class Combined:
    """The metrics of a workload: each accumulator is fed its tasks' outputs side by side.

    Celeb-A's eight groups go into one account of 40 attributes, NYUv2's 13 class maps into one:
    `Combined((AttributeMetrics(names), range(8)))`.
    """

    def __init__(self, *parts: tuple[Accumulator, Sequence[int]]) -> None:
        self.parts = parts

    def update(self, outputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        """Take a batch into account, given the outputs and targets of all tasks."""
        if len(outputs) != len(targets):
            raise ParameterError("targets", f"one for each of {len(outputs)} tasks", len(targets))
        for accumulator, tasks in self.parts:
            accumulator.update(_side_by_side(outputs, tasks), _side_by_side(targets, tasks))

    def compute(self) -> dict[str, float]:
        """Return the metrics of all accumulators."""
        metrics: dict[str, float] = {}
        for accumulator, _ in self.parts:
            computed = accumulator.compute()
            if twice := metrics.keys() & computed.keys():
                raise ParameterError("metrics", "named once each", sorted(twice))
            metrics |= computed
        return metrics


def check_shapes(output: Tensor, target: Tensor, columns: int | None = None) -> None:
    """Refuse a target that is not shaped as its output, or not [sample, column, …]."""
    if columns is not None and (output.dim() < 2 or output.shape[1] != columns):
        raise ParameterError("output", f"shaped [sample, {columns}, …]", tuple(output.shape))
    if output.shape != target.shape:
        raise ParameterError("target", f"shaped {tuple(output.shape)}", tuple(target.shape))


def _side_by_side(tensors: Sequence[Tensor], tasks: Sequence[int]) -> Tensor:
    chosen = [tensors[task] for task in tasks]
    return chosen[0] if len(chosen) == 1 else torch.cat(chosen, dim=1)
