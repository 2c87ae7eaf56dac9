"""The sum of two compact tensors on the union of their supports."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from mrtune.nn.plans import Union
from mrtune.nn.support import channels_last, select


def union_add(a: Tensor, b: Tensor, union: Union) -> Tensor:
    """Add b to a; the result holds a's channels first."""
    total: Tensor = _UnionAdd.apply(a, b, union)
    return total


class _UnionAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, union: Union) -> Tensor:
        ctx.union, ctx.first = union, a.shape[1]
        # Not a view of another tensor: a ReLU may overwrite it.
        total = _zeros(a, len(union.support))
        last = total.movedim(1, -1)
        last[..., : a.shape[1]] = a.movedim(1, -1)
        last.index_add_(-1, union.places, b.movedim(1, -1).to(total.dtype))
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        # A slice would send the norm before it down a slow path.
        first = channels_last(grad[:, : ctx.first])
        return first, select(grad, ctx.union.places), None


def _zeros(like: Tensor, channels: int) -> Tensor:
    layout = torch.channels_last if like.dim() == 4 else torch.contiguous_format
    shape = (like.shape[0], channels, *like.shape[2:])
    return torch.empty(shape, dtype=like.dtype, device=like.device, memory_format=layout).zero_()
