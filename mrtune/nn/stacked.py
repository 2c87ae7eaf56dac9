"""The execution for narrow networks: all tasks in one batch, few large operations for many small.

Each image is there once for each task, side by side: [image·task, channel, …]. A norm sees the same
memory as [image, task·channel, …], so that one kernel keeps the statistics of all tasks apart.
Other operations must treat each image by itself. All tasks are computed, whichever is asked for.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx.node import map_aggregate

from mrtune.nn.common import Split, nothing_common, split
from mrtune.nn.mask import Mask
from mrtune.nn.norm import TaskNorm
from mrtune.nn.operations import Args, Kwargs, Pass, convolve, is_dense
from mrtune.nn.plans import Plans
from mrtune.nn.program import Program, Step, Values
from mrtune.nn.run import Run
from mrtune.nn.squeeze import Squeeze
from mrtune.nn.support import Compact, dense
from mrtune.nn.take import Weights


class StackedRun(Run):
    """What all tasks have in common is computed once, the rest for all of them together."""

    def __init__(self, program: Program, tasks: int, x: Tensor, plans: Plans) -> None:
        super().__init__(tasks)
        parts, values = _common(program, x, plans, tasks)
        self._alike = not parts.task and not any(parts.ends.values())
        if not self._alike:
            stack = Stack(tasks)
            for node, mask in parts.ends.items():
                if node in program.images:
                    values[node] = stack.spread(values[node], mask)
            program.run(parts.task, values, stack)
        self._features: Tensor = dense(program.result(values))
        self._leaf = self._features

    def _compute(self, task: int) -> Tensor:
        return self._leaf if self._alike else side_by_side(self._leaf, self._tasks)[:, task]

    def _cut(self) -> None:
        if self._features.requires_grad:
            self._leaf = self._features.detach().requires_grad_()

    def _flow(self) -> None:
        if self._leaf.grad is not None:
            torch.autograd.backward(self._features, self._leaf.grad)
        self._leaf = self._features


def _common(program: Program, x: Tensor, plans: Plans, tasks: int) -> tuple[Split, Values]:
    """Compute what all tasks have in common, unless sizes of a batch are among what they read."""
    parts, run = split(program, plans), Pass(None, plans, Weights())
    values = program.start(x)
    program.run(parts.common, values, run, keep=parts.ends)
    if any(isinstance(values[node], int | torch.Size) for node in parts.ends):
        return nothing_common(program), program.start(x)
    for task in range(tasks):
        for observation in run.seen:
            observation.tell(plans, task)
    return parts, values


@dataclass(frozen=True)
class Stack:
    """One walk through the network for all tasks."""

    tasks: int

    def __call__(self, step: Step, args: Args, kwargs: Kwargs) -> Any:
        """Do one step on the images of all tasks."""
        module = step.module
        if isinstance(module, TaskNorm):
            held = step.gate.active if isinstance(step.gate, Mask) else None
            return module.stacked(args[0], held)
        if isinstance(module, Mask):
            return self.masked(side_by_side(args[0], self.tasks), module).view_as(args[0])
        if isinstance(module, Squeeze):
            each = side_by_side(args[0], self.tasks).unbind(1)
            return torch.stack([module(x, t) for t, x in enumerate(each)], 1).view_as(args[0])
        if isinstance(module, nn.Conv2d) and is_dense(module):
            return convolve(module, args[0], module.weight, module.bias).contiguous()
        return torch.relu_(args[0]) if step.overwrites else step.plain(args, kwargs)

    def spread(self, value: Any, mask: Mask | None) -> Any:
        """Give each task its own copy of what they have in common, masked where that is to do."""
        return map_aggregate(value, lambda part: self._copies(part, mask))

    def _copies(self, value: Any, mask: Mask | None) -> Any:
        if not isinstance(value, Tensor | Compact):
            return value
        one: Tensor = dense(value)
        each = one.unsqueeze(1).expand(-1, self.tasks, *one.shape[1:])
        return (each if mask is None else self.masked(each, mask)).flatten(0, 1)

    def masked(self, each: Tensor, mask: Mask) -> Tensor:
        """Zero, for each task, the units that it does not hold."""
        shape = (1, *mask.active.shape, *[1] * (each.dim() - 3))
        return each * mask.active.view(shape).to(each.dtype)


def side_by_side(x: Tensor, tasks: int) -> Tensor:
    """Return [image·task, …] as [image, task, …]."""
    return x.view(-1, tasks, *x.shape[1:])
