"""Squeeze-and-excitation per task: the soft, learnt mask of SE-MTL."""

import torch
from torch import Tensor, nn


class Squeeze(nn.Module):
    """Scales the units of a layer by a small network of each task's own."""

    def __init__(self, tasks: int, units: int, reduction: int = 16) -> None:
        super().__init__()
        self.excite = nn.ModuleList(_excitation(units, reduction) for _ in range(tasks))

    def forward(self, x: Tensor, task: int) -> Tensor:
        """Multiply each channel by its excitation, a number in (0, 1) for each image."""
        scale = self.excite[task](x.mean((2, 3)))
        return x * torch.sigmoid(scale)[:, :, None, None]


def _excitation(units: int, reduction: int) -> nn.Sequential:
    hidden = max(1, units // reduction)
    return nn.Sequential(nn.Linear(units, hidden), nn.ReLU(), nn.Linear(hidden, units))
