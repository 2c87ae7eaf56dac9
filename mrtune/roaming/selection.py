"""Which unit leaves and which one enters: the order in which a task prefers its candidates."""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor


class Preference(NamedTuple):
    """Scores of all units for every task; the allowed unit with the highest score is chosen."""

    leave: Tensor  # float [task, unit]
    enter: Tensor  # float [task, unit]


class Selection(Protocol):
    """A rule that ranks the units of a layer for leaving and for entering."""

    def __call__(
        self, active: Tensor, weight: Tensor | None, generator: torch.Generator
    ) -> Preference:
        """Score every unit for every task."""


def uniform(active: Tensor, weight: Tensor | None, generator: torch.Generator) -> Preference:  # noqa: ARG001
    """Rank units at random, so that every candidate is equally likely."""
    leave, enter = torch.rand(2, *active.shape, generator=generator, device=active.device)
    return Preference(leave, enter)


def cosine(active: Tensor, weight: Tensor | None, generator: torch.Generator) -> Preference:  # noqa: ARG001
    """Let the unit leave that is most like the rest of its partition; the least like it enters.

    The sum over a partition of K_u·K_v is K_u·(sum of K_v): no unit-by-unit matrix is needed.
    """
    if weight is None:
        raise TypeError("cosine selection needs the layer's filters")
    filters = weight.detach().to(active.device).flatten(start_dim=1)
    length = filters.norm(dim=1)
    scale = torch.where(length > 0, 1 / length, 0)  # a dead filter is like no other
    similarity = (active * scale @ filters) @ filters.T * scale  # [task, unit]
    itself = (length > 0).to(filters.dtype)
    return Preference(leave=similarity - itself, enter=-similarity)


SELECTIONS: dict[str, Selection] = {"uniform": uniform, "cosine": cosine}
