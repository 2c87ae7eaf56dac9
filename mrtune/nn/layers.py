"""Finds the layers to partition in a traced network and puts norms and gates per task into it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from torch import nn
from torch.fx import GraphModule, Node

from mrtune.errors import ParameterError
from mrtune.nn.norm import TaskNorm

Norm = (nn.BatchNorm2d, nn.GroupNorm, nn.InstanceNorm2d)


@dataclass(frozen=True)
class Layer:
    """A partitioned convolution: the names of its modules in the traced network."""

    conv: str
    norms: tuple[str, ...]
    gate: str
    units: int


def names_of(body: GraphModule, patterns: Sequence[str] | None) -> list[str]:
    """Return the names of the convolutions that the patterns name, in order of execution."""
    convs = list(dict.fromkeys(_name(n) for n in body.graph.nodes if _is(body, n, nn.Conv2d)))
    if patterns is None:
        patterns = ["*"]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in convs):
            raise ParameterError("layers", "names of Conv2d modules of the network", pattern)
    return [name for name in convs if any(fnmatchcase(name, pattern) for pattern in patterns)]


def norms_per_task(body: GraphModule, tasks: int, norm_eval: str) -> None:
    """Replace every batch norm by one with statistics per task."""
    for name in {_name(n) for n in body.graph.nodes if _is(body, n, nn.BatchNorm2d)}:
        norm = body.get_submodule(name)
        assert isinstance(norm, nn.BatchNorm2d)
        body.set_submodule(name, TaskNorm(norm, tasks, norm_eval))


def insert_gate(body: GraphModule, name: str, make: Callable[[int], nn.Module]) -> Layer:
    """Put a gate after the norm that directly follows a convolution, or after the convolution."""
    conv = body.get_submodule(name)
    assert isinstance(conv, nn.Conv2d)
    gate = f"gates.{name}"
    body.add_submodule(gate, make(conv.out_channels).to(conv.weight))
    norms = []
    for node in [n for n in body.graph.nodes if _is(body, n, nn.Conv2d) and n.target == name]:
        norm = _norm_after(body, node)
        if norm is not None:
            norms.append(_name(norm))
        _gate_after(body, norm or node, gate)
    return Layer(name, tuple(dict.fromkeys(norms)), gate, conv.out_channels)


def _gate_after(body: GraphModule, node: Node, gate: str) -> None:
    with body.graph.inserting_after(node):
        gated = body.graph.call_module(gate, (node,))
    node.replace_all_uses_with(gated, delete_user_cb=lambda user: user is not gated)


def _norm_after(body: GraphModule, node: Node) -> Node | None:
    users = list(node.users)
    if len(users) == 1 and _is(body, users[0], (TaskNorm, *Norm)):
        return users[0]
    return None


def _is(body: GraphModule, node: Node, kind: type[nn.Module] | tuple[type[nn.Module], ...]) -> bool:
    return node.op == "call_module" and isinstance(body.get_submodule(_name(node)), kind)


def _name(node: Node) -> str:
    return str(node.target)
