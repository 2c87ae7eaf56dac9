"""Arrays as they lie on disk, made into what networks and losses take."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[Any]


def image_batch(images: Array) -> Tensor:
    """Scale uint8 [image, height, width, channel] to −2…2, channels first."""
    pixels = torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2)
    return (pixels.float() / 255 - 0.5) / 0.25


def attribute_targets(labels: Array, columns: Sequence[Tensor]) -> list[Tensor]:
    """Split int8 [image, attribute] into one float target for each task; −1 becomes NaN."""
    values = torch.from_numpy(labels).float()
    values[values < 0] = torch.nan
    return [values[:, chosen] for chosen in columns]


def class_targets(labels: Array, classes: int, void: str) -> list[Tensor]:
    """Make a binary map [image, 1, height, width] of each class; void pixels are NaN, or 0."""
    label = torch.from_numpy(np.ascontiguousarray(labels))[:, None]
    unknown = torch.nan if void == "ignore" else 0.0
    return [torch.where(label < 0, unknown, (label == c).float()) for c in range(classes)]


def depth_target(depth: Array) -> Tensor:
    """Return depth as [image, 1, height, width]; 0, which is no depth, becomes NaN."""
    values = torch.from_numpy(np.ascontiguousarray(depth)).float()[:, None]
    return torch.where(values > 0, values, torch.nan)


def normal_target(normals: Array) -> Tensor:
    """Return normals as [image, 3, height, width]; the 0-vector, which is unknown, stays."""
    values = torch.from_numpy(np.ascontiguousarray(normals)).float()
    return torch.nn.functional.normalize(values.permute(0, 3, 1, 2), dim=1)
