"""Index plans of a partition, computed once and kept until it changes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor

from mrtune.nn.mask import Mask
from mrtune.nn.support import Support

Plan = TypeVar("Plan")


@dataclass(frozen=True)
class Union:
    """The support of a sum: the channels of the first term, then those only in the second."""

    support: Support
    places: Tensor  # int64, where the second term's channels are in the union


class Plans:
    """A cache whose copies start empty, since its keys are the objects of one network."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[type["Plans"], tuple[()]]:
        return Plans, ()

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()

    def support(self, mask: Mask, task: int) -> Support | None:
        """Return the units that a task holds; None stands for all."""
        return self.get((mask, task), lambda: _held(mask.active[task]))

    def everything(self, mask: Mask) -> Support:
        """Return all units of a layer, named one by one."""
        return self.get(("all", mask), lambda: _everything(mask.active))

    def uniform(self, mask: Mask) -> bool:
        """Return whether all tasks hold the same units."""
        return self.get(mask, lambda: bool((mask.active == mask.active[0]).all()))

    def union(self, a: Support, b: Support) -> Union:
        """Return the union of two supports."""
        return self.get(("union", a, b), lambda: _union(a, b))

    def places(self, have: Support, want: Support) -> Tensor:
        """Return where each wanted channel is among those at hand, len(have) if it is not."""
        return self.get(("places", have, want), lambda: _places(have)[want.channels])

    def joined(self, parts: tuple[tuple[int, Support | None], ...]) -> Support:
        """Return the support of a concatenation of parts, each (width, support or None for all)."""
        return self.get(("joined", parts), lambda: _joined(parts))

    def spread(self, support: Support, positions: int) -> Support:
        """Return the support after each channel's positions are flattened into features."""
        return self.get(("spread", support, positions), lambda: _spread(support, positions))

    def get(self, key: Any, compute: Callable[[], Plan]) -> Plan:
        """Return what was computed under a key, now if it was not before."""
        if key not in self._known:
            self._known[key] = compute()
        plan: Plan = self._known[key]
        return plan


def _held(active: Tensor) -> Support | None:
    channels = active.nonzero().squeeze(1)
    if len(channels) == len(active):
        return None
    if len(channels) == 0:
        return Support(channels.new_zeros(1), len(active), held=False)
    return Support(channels, len(active))


def _everything(active: Tensor) -> Support:
    return Support(torch.arange(active.shape[1], device=active.device), active.shape[1])


def _places(have: Support) -> Tensor:
    places = torch.full((have.width,), len(have), device=have.channels.device)
    places[have.channels] = torch.arange(len(have), device=places.device)
    return places


def _union(a: Support, b: Support) -> Union:
    new = b.channels[_places(a)[b.channels] == len(a)]
    union = Support(torch.cat([a.channels, new]), a.width)
    return Union(union, _places(union)[b.channels])


def _joined(parts: tuple[tuple[int, Support | None], ...]) -> Support:
    device = next(support.channels.device for _, support in parts if support)
    offset, channels = 0, []
    for width, support in parts:
        held = torch.arange(width, device=device) if support is None else support.channels
        channels.append(held + offset)
        offset += width
    return Support(torch.cat(channels), offset)


def _spread(support: Support, positions: int) -> Support:
    within = torch.arange(positions, device=support.channels.device)
    channels = (support.channels[:, None] * positions + within).flatten()
    return Support(channels, support.width * positions)
