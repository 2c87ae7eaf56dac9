"""The first partition: which units each task holds before it roams."""

from collections.abc import Callable

import torch
from torch import Tensor

from mrtune.roaming import whole
from mrtune.roaming.checks import check_choice, check_count, check_share


def row_size(units: int, p: float) -> int:
    """Units that a task holds in a layer of `units` under the sharing ratio `p`."""
    return whole.ceil(p * units)


def smallest_row(units: int, tasks: int, p: float) -> int:
    """Fewest units that a task holds in an exact partition; all hold as many where p ≥ 1/tasks."""
    disjoint = whole.floor(p * tasks) < 1
    return max(1, units // tasks) if disjoint else row_size(units, p)


def exact(units: int, tasks: int, p: float, generator: torch.Generator) -> Tensor:
    """Give every unit a task in a random round-robin, then fill each row to its size at random.

    Below p = 1/tasks the round-robin is all there is: a disjoint partition. A task that it leaves
    without a unit (more tasks than units) gets one, since a task without units has no network.
    """
    device = generator.device
    owner = torch.randperm(units, generator=generator, device=device) % tasks
    owner = torch.randperm(tasks, generator=generator, device=device)[owner]
    owned = owner == torch.arange(tasks, device=device)[:, None]  # bool [task, unit]
    size = smallest_row(units, tasks, p)
    key = torch.rand(tasks, units, generator=generator, device=device) + owned
    rank = key.argsort(dim=1, descending=True).argsort(dim=1)
    return owned | (rank < size)


def bernoulli(units: int, tasks: int, p: float, generator: torch.Generator) -> Tensor:
    """Draw every entry with probability `p` and give each orphan to one task (the paper's text)."""
    device = generator.device
    drawn = torch.rand(tasks, units, generator=generator, device=device) < p
    adopter = torch.randint(tasks, (units,), generator=generator, device=device)
    adopted = adopter == torch.arange(tasks, device=device)[:, None]
    return drawn | (adopted & ~drawn.any(dim=0))


INITS: dict[str, Callable[[int, int, float, torch.Generator], Tensor]] = {
    "exact": exact,
    "bernoulli": bernoulli,
}


def initial_partition(
    units: int, tasks: int, p: float, generator: torch.Generator, init: str = "exact"
) -> Tensor:
    """Draw the first partition of a layer on the generator's device, as bool [task, unit]."""
    check_count("units", units)
    check_count("tasks", tasks)
    check_share("p", p)
    check_choice("init", init, INITS)
    return INITS[init](units, tasks, p, generator)
