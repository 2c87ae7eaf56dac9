"""A traced network as a list of steps that any execution can walk."""

import operator
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from mrtune.nn.mask import Mask
from mrtune.nn.norm import TaskNorm
from mrtune.nn.squeeze import Squeeze

Values = dict[Node, Any]

SUMS: tuple[Any, ...] = (operator.add, torch.add, "add")


@dataclass(frozen=True)
class Step:
    """One node of the graph, its module, and the gate whose zeros it need not compute."""

    node: Node
    module: nn.Module | None
    gate: nn.Module | None
    dead: tuple[Node, ...]  # values that no later step reads
    overwrites: bool  # a ReLU that may work in place, as nothing else reads its input

    def plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do what the traced network does."""
        if self.module is not None:
            return self.module(*args, **kwargs)
        if self.node.op == "call_method":
            return getattr(args[0], str(self.node.target))(*args[1:], **kwargs)
        assert callable(self.node.target)
        return self.node.target(*args, **kwargs)


Call = Callable[[Step, tuple[Any, ...], dict[str, Any]], Any]


class Program:
    """The steps of a traced network in order."""

    def __init__(self, body: GraphModule) -> None:
        self.body = body
        nodes = list(body.graph.nodes)
        self.inputs = [node for node in nodes if node.op == "placeholder"]
        self.output = nodes[-1]
        self.images = _after(self.inputs[0])  # values that depend on what comes in
        self._gates = self._find_gates(nodes)
        dead = _last_uses(nodes)
        self.steps = [
            self._step(node, tuple(dead.get(node, ())))
            for node in nodes[:-1]
            if node.op != "placeholder"
        ]

    def start(self, x: Any) -> Values:
        """Return the values known before the first step."""
        first, *others = self.inputs
        return {first: x, **{node: node.args[0] for node in others}}

    def run(
        self, steps: Iterable[Step], values: Values, call: Call, keep: Collection[Node] = ()
    ) -> None:
        """Compute the values of some steps, in place, and drop each after its last use."""
        for step in steps:
            values[step.node] = self._value(step, values, call)
            for node in step.dead:
                if node not in keep:
                    values.pop(node, None)

    def result(self, values: Values) -> Any:
        """Return the network's output."""
        return map_arg(self.output.args[0], values.__getitem__)

    def _value(self, step: Step, values: Values, call: Call) -> Any:
        if step.node.op == "get_attr":
            return _attribute(self.body, str(step.node.target))
        args = map_arg(step.node.args, values.__getitem__)
        kwargs = map_arg(step.node.kwargs, values.__getitem__)
        return call(step, args, dict(kwargs))

    def _step(self, node: Node, dead: tuple[Node, ...]) -> Step:
        module = self._module(node)
        overwrites = type(module) is nn.ReLU and self._may_overwrite(node)
        return Step(node, module, self._gates.get(node), dead, overwrites)

    def _module(self, node: Node) -> nn.Module | None:
        return self.body.get_submodule(str(node.target)) if node.op == "call_module" else None

    def _find_gates(self, nodes: list[Node]) -> dict[Node, nn.Module]:
        """Return, for each node read only through a gate, channel by channel, that gate."""
        gates: dict[Node, nn.Module] = {}
        for node in nodes:
            gate = self._module(node)
            if isinstance(gate, Mask | Squeeze):
                source = node.all_input_nodes[0]
                if isinstance(self._module(source), TaskNorm):
                    gates[source] = gate
                    source = source.all_input_nodes[0]
                if isinstance(self._module(source), nn.Conv2d):
                    gates[source] = gate
        return gates

    def _may_overwrite(self, node: Node) -> bool:
        """Return whether a node alone reads a sum or a gated norm: backward needs neither."""
        source = node.all_input_nodes[0]
        if len(source.users) > 1:
            return False
        if source.op in ("call_function", "call_method") and source.target in SUMS:
            return True
        gated = isinstance(self._module(source), Mask)
        return gated and isinstance(self._module(source.all_input_nodes[0]), TaskNorm)


def _after(node: Node) -> set[Node]:
    found, left = {node}, [node]
    while left:
        new = [user for user in left.pop().users if user not in found]
        found.update(new)
        left += new
    return found


def _last_uses(nodes: list[Node]) -> dict[Node, list[Node]]:
    dead: dict[Node, list[Node]] = {}
    known: set[Node] = set()
    for node in reversed(nodes):
        for used in node.all_input_nodes:
            if used not in known:
                known.add(used)
                dead.setdefault(node, []).append(used)
    return dead


def _attribute(body: GraphModule, path: str) -> Any:
    value: Any = body
    for name in path.split("."):
        value = getattr(value, name)
    return value
