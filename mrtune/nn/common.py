"""Finds the part of a network whose values are the same for all tasks."""

from dataclasses import dataclass

from torch import nn
from torch.fx import Node

from mrtune.nn.mask import Mask
from mrtune.nn.norm import TaskNorm
from mrtune.nn.operations import CHANNELWISE
from mrtune.nn.plans import Plans
from mrtune.nn.program import Program, Step
from mrtune.nn.squeeze import Squeeze


@dataclass(frozen=True)
class Split:
    """A program in two: what all tasks have in common, and what each task does from there on."""

    common: list[Step]
    task: list[Step]
    ends: dict[Node, Mask | None]  # common values that tasks read, and the mask still to apply


def split(program: Program, plans: Plans) -> Split:
    """Split a program for the present modes and partition."""
    # Node → the mask that separates it from a value common to all tasks, if any.
    known: dict[Node, Mask | None] = dict.fromkeys(program.inputs)
    for step in program.steps:
        _classify(step, known, plans)
    ends = {node: known[node] for node in known if any(user not in known for user in node.users)}
    return Split(
        [step for step in program.steps if step.node in known],
        [step for step in program.steps if step.node not in known],
        ends,
    )


def nothing_common(program: Program) -> Split:
    """Leave everything to the tasks."""
    return Split([], program.steps, dict.fromkeys(program.inputs))


def _classify(step: Step, known: dict[Node, Mask | None], plans: Plans) -> None:
    sources = step.node.all_input_nodes
    if not all(node in known for node in sources):
        return
    masks = {known[node] for node in sources} - {None}
    if not masks:
        if _alike(step.module, plans):
            known[step.node] = None
        elif isinstance(step.module, Mask):
            known[step.node] = step.module
    elif len(sources) == 1 and _commutes(step):
        # Masking zeroes whole channels, so it can wait until after such an operation.
        known[step.node] = masks.pop()


def _alike(module: nn.Module | None, plans: Plans) -> bool:
    if isinstance(module, Mask):
        return plans.uniform(module)
    if isinstance(module, TaskNorm):
        return module.uses_batch or len(module.batches) == 1
    if isinstance(module, Squeeze):
        return len(module.excite) == 1
    return True


def _commutes(step: Step) -> bool:
    key = step.node.target if step.module is None else type(step.module)
    indices = step.node.kwargs.get("return_indices", getattr(step.module, "return_indices", False))
    return key in CHANNELWISE and not indices
