"""A convolution whose weight gradient, on small maps, is one matrix product."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F
from torch.nn.grad import conv2d_input

# Up to this many output positions the product beats oneDNN's kernel, by 1.4 to 2.5 times.
LARGEST = 16


def is_small(conv: nn.Conv2d, x: Tensor) -> bool:
    """Return whether `convolve` applies, and pays."""
    if x.device.type != "cpu" or torch.is_autocast_enabled("cpu") or conv.bias is not None:
        return False
    if isinstance(conv.padding, str) or conv.dilation != (1, 1) or conv.kernel_size == (1, 1):
        return False
    return x.shape[2] * x.shape[3] <= LARGEST * conv.stride[0] * conv.stride[1]


def convolve(x: Tensor, weight: Tensor, stride: Any, padding: Any) -> Tensor:
    """Return the convolution of maps laid out channels last."""
    out: Tensor = _SmallConv.apply(x, weight, stride, padding)
    return out


class _SmallConv(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, stride: Any, padding: Any) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.stride, ctx.padding = stride, padding
        return F.conv2d(x, weight, None, stride, padding)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        x, weight = ctx.saved_tensors
        by_x = by_weight = None
        if ctx.needs_input_grad[0]:
            size = (x.shape, weight, grad, ctx.stride, ctx.padding)
            by_x = conv2d_input(*size)  # type: ignore[no-untyped-call]
        if ctx.needs_input_grad[1]:
            by_weight = _weight_gradient(x, weight.shape, grad, ctx.stride, ctx.padding)
        return by_x, by_weight, None, None


def _weight_gradient(
    x: Tensor, shape: torch.Size, grad: Tensor, stride: Any, padding: Any
) -> Tensor:
    outputs, inputs, height, width = shape
    rows = grad.movedim(1, -1).reshape(-1, outputs)
    product = rows.T @ _patches(x, (height, width), grad.shape[2:], stride, padding)
    return product.view(outputs, height, width, inputs).movedim(-1, 1)


def _patches(x: Tensor, kernel: Any, out: torch.Size, stride: Any, padding: Any) -> Tensor:
    """Return what the kernel sees at each output position: [image·position, kernel·channel]."""
    # Channels last, a padded row of the kernel is one run of memory.
    padded = F.pad(x.movedim(1, -1), (0, 0, padding[1], padding[1], padding[0], padding[0]))
    image, row, col, channel = padded.stride()
    size = (len(x), *out, *kernel, x.shape[1])
    view = padded.as_strided(size, (image, stride[0] * row, stride[1] * col, row, col, channel))
    return view.reshape(len(x) * out[0] * out[1], -1)
