"""A 1×1 convolution as a matrix product."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F


def is_pointwise(conv: nn.Conv2d) -> bool:
    """Return whether `product` applies."""
    return conv.kernel_size == (1, 1) and conv.padding in ((0, 0), "valid") and conv.groups == 1


def product(conv: nn.Conv2d, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return the convolution of maps laid out channels last."""
    # Not only for speed: oneDNN 3.13 writes past its buffer in the weight gradient of a strided 1×1
    # convolution, channels last, of fewer than 8 inputs.
    if conv.stride != (1, 1):
        x = _Strided.apply(x, conv.stride)
    return F.linear(x.movedim(1, -1), weight.flatten(1), bias).movedim(-1, 1)


class _Strided(torch.autograd.Function):
    """Every n-th position of maps; unlike a slice's, its gradient is laid out channels last."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, stride: tuple[int, int]) -> Tensor:
        ctx.shape, ctx.stride = x.shape, stride
        return x[:, :, :: stride[0], :: stride[1]]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        images, channels, height, width = ctx.shape
        full = grad.new_zeros(images, height, width, channels).movedim(-1, 1)
        full[:, :, :: ctx.stride[0], :: ctx.stride[1]] = grad
        return full, None
