"""A convolution on very small maps as one matrix product."""

from functools import lru_cache

import torch
from torch import Tensor, nn

# On maps of up to this many positions, nearly every input position reaches every output position.
LARGEST = 4


def is_tiny(conv: nn.Conv2d, x: Tensor) -> bool:
    """Return whether `product` applies, and pays."""
    same = conv.kernel_size == (3, 3) and conv.padding == (1, 1)
    unit = conv.stride == (1, 1) and conv.dilation == (1, 1)
    return same and unit and x.shape[2] * x.shape[3] <= LARGEST and max(x.shape[2:]) <= 2


def product(x: Tensor, weight: Tensor) -> Tensor:
    """Return the 3×3 convolution, padded by 1, of maps of at most 2×2 positions."""
    images, inputs, height, width = x.shape
    outputs, positions = weight.shape[0], height * width
    taps = _taps(height, width, weight.device)
    # One block [out, in] for each pair of positions: [out position, out, in position, in].
    matrix = weight.flatten(2).movedim(2, 0).index_select(0, taps)
    matrix = matrix.view(positions, positions, outputs, inputs).transpose(1, 2)
    rows = x.movedim(1, -1).reshape(images, positions * inputs)
    out = rows @ matrix.reshape(positions * outputs, positions * inputs).T
    return out.view(images, height, width, outputs).movedim(-1, 1)


@lru_cache
def _taps(height: int, width: int, device: torch.device) -> Tensor:
    """Return the kernel tap between each pair of (output, input) positions, flattened."""
    row = torch.arange(height * width, device=device) // width
    col = torch.arange(height * width, device=device) % width
    return (3 * (row - row[:, None] + 1) + (col - col[:, None] + 1)).flatten()
