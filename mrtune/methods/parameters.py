"""#P: how many parameters a method trains, relative to MTL."""

from torch import nn

from mrtune.methods.method import Method
from mrtune.methods.mtl import MTL
from mrtune.methods.setup import Setup


def trainable_parameters(model: nn.Module) -> int:
    """Count the numbers that training changes."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def relative_parameters(method: Method, setup: Setup) -> float:
    """Return the column #P of the paper's tables."""
    ours, mtl = (trainable_parameters(m.build(setup).model) for m in (method, MTL()))
    return ours / mtl
