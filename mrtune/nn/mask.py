"""The task mask: which units of a layer each task holds."""

import torch
from torch import Tensor, nn

from mrtune.errors import ParameterError


class Mask(nn.Module):
    """Zeroes the units that a task does not hold; no rescaling."""

    active: Tensor  # bool [task, unit]

    def __init__(self, tasks: int, units: int) -> None:
        super().__init__()
        self.register_buffer("active", torch.ones(tasks, units, dtype=torch.bool))

    def forward(self, x: Tensor, task: int | Tensor) -> Tensor:
        """Multiply each channel by the task's mask."""
        shape = (1, -1, *[1] * (x.dim() - 2))
        return x * self.active[task].view(shape).to(x.dtype)

    def check(self, layer: str, active: Tensor) -> None:
        """Raise unless `active` can replace the mask of this layer."""
        if active.dtype != torch.bool:
            raise ParameterError(f"active[{layer!r}]", "of dtype torch.bool", active.dtype)
        if active.shape != self.active.shape:
            rule = f"of shape [task, unit] = {list(self.active.shape)}"
            raise ParameterError(f"active[{layer!r}]", rule, list(active.shape))
