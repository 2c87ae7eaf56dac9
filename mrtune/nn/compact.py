"""The fast execution: per task, only its units and the channels that can be non-zero."""

from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from mrtune.nn.common import nothing_common, split
from mrtune.nn.operations import Pass, replaced
from mrtune.nn.plans import Plans
from mrtune.nn.program import Program
from mrtune.nn.run import Run
from mrtune.nn.support import Compact, Value, channels_last, tensor_of
from mrtune.nn.take import Channels, Weights


class CompactRun(Run):
    """What all tasks have in common is computed here, once; the rest when a task asks for it."""

    def __init__(self, program: Program, tasks: int, x: Tensor, plans: Plans, share: bool) -> None:
        super().__init__(tasks)
        self._program = program
        self._plans = plans
        self._weights = Weights()
        self._split = split(program, plans) if share else nothing_common(program)
        self._common = Pass(None, plans, self._weights)
        values = program.start(channels_last(x))
        program.run(self._split.common, values, self._common, keep=self._split.ends)
        self._ends: dict[Node, Any] = {
            node: values[node] if mask is None else Channels(values[node])
            for node, mask in self._split.ends.items()
        }
        self._leaves: dict[Node, Value] = {}

    def _compute(self, task: int) -> Value:
        for observation in self._common.seen:
            observation.tell(self._plans, task)
        run = Pass(task, self._plans, self._weights)
        values = {node: self._begin(run, node) for node in self._ends}
        self._program.run(self._split.task, values, run)
        result: Value = self._program.result(values)
        return result

    def _begin(self, run: Pass, node: Node) -> Any:
        end = self._ends[node]
        if not isinstance(end, Channels):
            return self._leaves.get(node, end)
        mask = self._split.ends[node]
        assert mask is not None
        return run.picked(end, mask)

    def _cut(self) -> None:
        self._weights.cut()
        self._leaves = {node: _leaf(end) for node, end in self._ends.items() if _has_grad(end)}

    def _flow(self) -> None:
        pairs = [(tensor_of(self._ends[n]), tensor_of(leaf)) for n, leaf in self._leaves.items()]
        pairs = [pair for pair in pairs + self._weights.ends() if pair[1].grad is not None]
        self._leaves = {}
        if pairs:
            torch.autograd.backward([end for end, _ in pairs], [leaf.grad for _, leaf in pairs])


def _has_grad(value: Any) -> bool:
    return isinstance(value, Tensor | Compact) and tensor_of(value).requires_grad


def _leaf(value: Value) -> Value:
    return replaced(value, tensor_of(value).detach().requires_grad_())
