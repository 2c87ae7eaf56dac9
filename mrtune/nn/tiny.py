"""A convolution on very small maps as one matrix product."""

from functools import lru_cache

import torch
from torch import Tensor, nn

# On maps of 2×2, every input position reaches every output position.
LARGEST = 2
# Beyond this many entries, writing the matrix costs more than the product saves.
ENTRIES = 2**21


def is_tiny(conv: nn.Conv2d, x: Tensor, weight: Tensor) -> bool:
    """Return whether `product` applies, and pays."""
    same = conv.kernel_size == (3, 3) and conv.padding == (1, 1)
    unit = conv.stride == (1, 1) and conv.dilation == (1, 1)
    if not (same and unit) or max(x.shape[2:]) > LARGEST:
        return False
    positions = x.shape[2] * x.shape[3]
    return positions**2 * weight.shape[0] * weight.shape[1] <= ENTRIES


def product(x: Tensor, weight: Tensor) -> Tensor:
    """Return the 3×3 convolution, padded by 1, of maps of at most 2×2 positions."""
    images, inputs, height, width = x.shape
    outputs, positions = weight.shape[0], height * width
    # One row [in] for each out position, output and in position.
    taps = _taps(height, width, weight.device)[:, None]
    pick = (taps + 9 * torch.arange(outputs, device=weight.device)[:, None]).flatten()
    matrix = weight.movedim(1, -1).reshape(9 * outputs, inputs).index_select(0, pick)
    rows = x.movedim(1, -1).reshape(images, positions * inputs)
    out = rows @ matrix.view(positions * outputs, positions * inputs).T
    return out.view(images, height, width, outputs).movedim(-1, 1)


@lru_cache
def _taps(height: int, width: int, device: torch.device) -> Tensor:
    """Return the kernel tap between each pair of positions, int64 [out position, in position]."""
    row = torch.arange(height * width, device=device) // width
    col = torch.arange(height * width, device=device) % width
    return 3 * (row - row[:, None] + 1) + (col - col[:, None] + 1)
