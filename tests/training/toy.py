"""A trainer file as a user would write one: three tasks, one label in ten is missing."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from pydantic import BaseModel
from torch import Tensor, nn

from mrtune.config import pick
from mrtune.training import Task, Training
from mrtune.training.losses import binary_cross_entropy

DEFAULTS = {"epochs": 2, "batch_size": 16, "lr": 1e-2, "width": 8}
ATTRIBUTES = ("bright", "red", "left")


class Options(BaseModel):
    width: int = 8


class Pictures:
    """Noise, brighter if bright, redder if red, heavier on the left if left."""

    def __init__(self, samples: int, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(2, (samples, 3), generator=generator).float()
        images = torch.randn(samples, 3, 8, 8, generator=generator)
        images += self.labels[:, 0, None, None, None]
        images[:, 0] += 2 * self.labels[:, 1, None, None]
        images[:, :, :, :4] += 2 * self.labels[:, 2, None, None, None]
        self.images = images
        self.labels[torch.rand(samples, 3, generator=generator) < 0.1] = torch.nan

    def __len__(self) -> int:
        return len(self.images)

    def batch(self, positions: Tensor) -> tuple[Tensor, list[Tensor]]:
        return self.images[positions], list(self.labels[positions].T[:, :, None])


class Accuracy:
    def __init__(self) -> None:
        self.right = self.all = 0

    def update(self, outputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        for output, target in zip(outputs, targets, strict=True):
            labelled = ~target.isnan()
            self.right += int((((output > 0) == target.bool()) & labelled).sum())
            self.all += int(labelled.sum())

    def compute(self) -> dict[str, float]:
        return {"accuracy": self.right / self.all}


class Toy:
    def __init__(self, width: int = 8, samples: int = 96) -> None:
        self.width = width
        self.tasks = [
            Task(name, lambda: nn.Linear(width, 1), binary_cross_entropy) for name in ATTRIBUTES
        ]
        self.splits = {
            "train": Pictures(samples, seed=1),
            "held_out": Pictures(48, seed=2),
            "val": Pictures(48, seed=3),
        }

    def network(self) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(3, self.width, 3, padding=1, bias=False),
            nn.BatchNorm2d(self.width),
            nn.ReLU(),
            nn.Conv2d(self.width, self.width, 3, padding=1, bias=False),
            nn.BatchNorm2d(self.width),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )

    def metrics(self) -> Accuracy:
        return Accuracy()


def build(config: Mapping[str, Any], seed: int, device: str) -> Training:
    return Training(Toy(pick(Options, config).width), config, seed, device, Options)
