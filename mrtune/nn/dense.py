"""The reference execution: every unit is computed, then multiplied by the mask."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.fx import Graph, GraphModule, Node

from mrtune.nn.mask import Mask
from mrtune.nn.norm import TaskNorm
from mrtune.nn.program import Program
from mrtune.nn.run import Run
from mrtune.nn.squeeze import Squeeze
from mrtune.nn.support import Value

Features = Callable[[Tensor, int | Tensor], Tensor]


class DenseRun(Run):
    """Each task on its own, from the first layer on."""

    def __init__(self, features: Features, tasks: int, x: Tensor, compiled: bool) -> None:
        super().__init__(tasks)
        self._features = features
        self._x = x
        self._compiled = compiled

    def _compute(self, task: int) -> Value:
        # As a tensor, the task is data to a compiled network, not a reason to compile it anew.
        which = torch.tensor(task, device=self._x.device) if self._compiled else task
        return self._features(self._x, which)


def dense_network(program: Program) -> GraphModule:
    """Return the network as one module of an image and a task, which shares all parameters."""
    graph = Graph()
    copies: dict[Node, Node] = {}
    first, *defaults = program.inputs
    copies[first] = graph.node_copy(first)
    task = graph.placeholder("task")
    copies |= {node: graph.node_copy(node) for node in defaults}
    for step in program.steps:
        copy = copies[step.node] = graph.node_copy(step.node, copies.__getitem__)
        if isinstance(step.module, TaskNorm):
            copy.args = (*copy.args, task, _active(graph, copy, step.gate, program.body))
        elif isinstance(step.module, Mask | Squeeze):
            copy.args = (*copy.args, task)
    graph.node_copy(program.output, copies.__getitem__)
    return GraphModule(program.body, graph)


def _active(graph: Graph, before: Node, gate: nn.Module | None, body: nn.Module) -> Node | None:
    if not isinstance(gate, Mask):
        return None
    name = next(name for name, module in body.named_modules() if module is gate)
    with graph.inserting_before(before):
        return graph.get_attr(f"{name}.active")
