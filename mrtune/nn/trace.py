"""Traces a network into a graph without in-place operations."""

import operator
from collections.abc import Callable
from copy import copy
from typing import Any

import torch
from torch import nn
from torch.fx import GraphModule, Node, symbolic_trace
from torch.nn import functional as F

from mrtune.errors import ParameterError

_PURE: dict[Any, Callable[..., Any]] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    torch.relu_: torch.relu,
    F.relu_: F.relu,
}


def trace(network: nn.Module) -> GraphModule:
    """Trace a network; the result shares its submodules and parameters."""
    try:
        body = symbolic_trace(network)
    except Exception as error:
        rule = f"traceable by torch.fx ({error})"
        raise ParameterError("network", rule, type(network).__name__) from error
    _make_pure(body)
    _allow_any_layout(body)
    body.recompile()
    return body


def _make_pure(body: GraphModule) -> None:
    # A tensor common to several tasks must survive the task that reads it first.
    order = {node: i for i, node in enumerate(body.graph.nodes)}
    mutating = [node for node in body.graph.nodes if _mutates(body, node)]
    for node in mutating:
        mutated = node.all_input_nodes[0]
        for user in list(mutated.users):
            if order[user] > order[node]:
                user.replace_input_with(mutated, node)
    for node in mutating:
        _replace(body, node)


def _allow_any_layout(body: GraphModule) -> None:
    # A view demands the layout that its author saw; we lay maps out channels last.
    for node in body.graph.nodes:
        if node.op == "call_method" and node.target == "view":
            node.target = "reshape"


def _mutates(body: GraphModule, node: Node) -> bool:
    if node.op == "call_module":
        return bool(getattr(body.get_submodule(str(node.target)), "inplace", False))
    if node.op == "call_function":
        return node.target in _PURE or bool(node.kwargs.get("inplace"))
    return node.op == "call_method" and _is_in_place_method(str(node.target))


def _is_in_place_method(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__") and hasattr(torch.Tensor, name[:-1])


def _replace(body: GraphModule, node: Node) -> None:
    if node.op == "call_module":
        # A copy: the given network keeps its meaning.
        module = copy(body.get_submodule(str(node.target)))
        module.inplace = False  # type: ignore[assignment]
        body.set_submodule(str(node.target), module)
    elif node.op == "call_method":
        node.target = str(node.target)[:-1]
    else:
        node.target = _PURE.get(node.target, node.target)
        if "inplace" in node.kwargs:
            node.kwargs = {**node.kwargs, "inplace": False}
