"""Splits drawn at random, each with the accumulator that reads it, and cuts into batches."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch import Tensor

from mrtune.metrics import (
    Accumulator,
    AttributeMetrics,
    DepthMetrics,
    NormalMetrics,
    SegmentationMetrics,
)

Draw = Callable[[int, torch.Generator], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Kind:
    """One sort of task: its metrics, and how its outputs and targets look."""

    name: str
    metrics: Callable[[], Accumulator]
    draw: Draw

    def __str__(self) -> str:
        return self.name


def labels(shape: tuple[int, ...], missing: float, generator: torch.Generator) -> Tensor:
    """0 and 1, a fifth of them missing."""
    drawn = torch.randint(2, shape, generator=generator).float()
    drawn[torch.rand(shape, generator=generator) < 0.2] = missing
    return drawn


def attributes(samples: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    shape = (samples, 5)
    return torch.randn(shape, generator=generator), labels(shape, torch.nan, generator)


def maps(samples: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    shape = (samples, 3, 5, 7)
    return torch.randn(shape, generator=generator), labels(shape, -1, generator)


def depths(samples: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """From a millimetre to a kilometre, with holes: sums of these do depend on their order."""
    shape = (samples, 1, 5, 7)
    target = 10 ** (6 * torch.rand(shape, generator=generator) - 3)
    output = target * torch.rand(shape, generator=generator) * 3
    target[torch.rand(shape, generator=generator) < 0.2] = 0
    target[torch.rand(shape, generator=generator) < 0.1] = torch.nan
    return output, target


def normals(samples: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    shape = (samples, 3, 5, 7)
    target = torch.nn.functional.normalize(torch.randn(shape, generator=generator))
    output = target + torch.randn(shape, generator=generator)
    target = target * (torch.rand(samples, 1, 5, 7, generator=generator) > 0.2)
    return output, target


KINDS = [
    Kind("attributes", lambda: AttributeMetrics([f"a{i}" for i in range(5)]), attributes),
    Kind("segmentation", lambda: SegmentationMetrics(["wall", "bed", "void"]), maps),
    Kind("void-negative", lambda: SegmentationMetrics(["a", "b", "c"], void="negative"), maps),
    Kind("depth", DepthMetrics, depths),
    Kind("normals", NormalMetrics, normals),
]

cuts = st.lists(st.integers(0, 12), max_size=8)
seeds = st.integers(0, 2**32)


def over(metrics: Accumulator, *batches: tuple[Tensor, Tensor]) -> dict[str, float]:
    """The metrics of some batches."""
    for output, target in batches:
        metrics.update(output, target)
    return metrics.compute()


def same(one: dict[str, float], other: dict[str, float]) -> bool:
    """Equal to the last bit; NaN equals NaN."""
    return repr(one) == repr(other)
