"""One update (Definition 1): in each layer, each task lets a unit go and takes an unvisited one.

Layers of one width are updated together, as [layer, task, unit]: what an update costs is the
number of tensor operations, not their size. Inside, the tasks of all layers are numbered through
as *rows*, and the units of all layers as *seats*.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from mrtune.roaming.matching import make_room
from mrtune.roaming.selection import Preference


class Swap(NamedTuple):
    """The partitions after an update."""

    active: Tensor  # bool [layer, task, unit]
    visited: Tensor  # bool [layer, task, unit]
    relaxed: Tensor  # int [layer]: tasks that gave up a unit which nobody else holds


def swap(
    active: Tensor,
    visited: Tensor,
    preference: Preference,
    due: Tensor,
    coverage_guard: bool = True,
) -> Swap:
    """Swap one unit of every task in `due` (bool [layer, task]) that still has a unit to visit.

    Both units are drawn from the state before the swap. With the guard, a unit leaves only if
    another task holds it once all the entering units are in.
    """
    layers, tasks, units = active.shape
    rows = (due & active.any(dim=2) & ~visited.all(dim=2)).flatten().nonzero().squeeze(1)
    entering = _best(preference.enter, ~visited)[rows]
    leaving = _best(preference.leave, active)[rows]
    relaxed = torch.zeros(layers, dtype=torch.long, device=active.device)
    if coverage_guard:
        leaving, stuck = _leave_covered(active, preference.leave, rows, entering, leaving)
        relaxed = torch.bincount(rows[stuck] // tasks, minlength=layers)
    active, visited = active.clone(), visited.clone()
    active.view(-1, units)[rows, leaving] = False
    active.view(-1, units)[rows, entering] = True
    visited.view(-1, units)[rows, entering] = True
    return Swap(active, visited, relaxed)


def _best(score: Tensor, allowed: Tensor) -> Tensor:
    """Choose the highest-scored allowed unit of every row."""
    return torch.where(allowed, score, -torch.inf).argmax(dim=2).flatten()


def _leave_covered(
    active: Tensor, score: Tensor, rows: Tensor, entering: Tensor, unguarded: Tensor
) -> tuple[Tensor, Tensor]:
    """Choose the leaving units so that none becomes an orphan; mark the rows that cannot.

    All rows choose at once. Where every holder of a unit chose it, the lowest-scored of them
    choose again among what is left, so that a second round is rare and a third is exceptional.
    A row that finds nothing left asks others to move on to their next best.
    """
    _, tasks, units = active.shape
    first_seat = rows // tasks * units
    holders = active.sum(dim=1)  # int [layer, unit]
    seats = holders.view(-1)
    seats.index_add_(0, first_seat + entering, torch.ones_like(entering))
    leaving, stuck = unguarded.clone(), torch.zeros_like(rows, dtype=torch.bool)
    pending = torch.arange(len(rows), device=rows.device)  # places in `rows`
    covered = active & (holders > 1)[:, None]
    while len(pending):
        allowed = covered & (holders > 1)[:, None]
        wish, choice = torch.where(allowed, score, -torch.inf).view(-1, units)[rows[pending]].max(1)
        seat = first_seat[pending] + choice
        stuck[pending] = wish == -torch.inf
        granted = ~stuck[pending] & (_place_in_line(seat, wish) < seats[seat])
        leaving[pending[granted]] = choice[granted]
        seats.index_add_(0, seat[granted], torch.full_like(seat[granted], -1))
        pending = pending[~granted & ~stuck[pending]]
    if stuck.any():
        options = torch.where(covered, score, -torch.inf).view(-1, units)[rows]
        leaving, stuck = make_room(options, first_seat, seats, leaving, stuck)
    return leaving, stuck


def _place_in_line(seat: Tensor, wish: Tensor) -> Tensor:
    """Number the rows that chose the same seat from 1, the highest wish first."""
    order = wish.argsort(descending=True, stable=True)
    order = order[seat[order].argsort(stable=True)]  # by seat, and by wish within a seat
    queues = seat[order]
    place = torch.empty_like(seat)
    first = torch.searchsorted(queues, queues)
    place[order] = torch.arange(1, len(seat) + 1, device=seat.device) - first
    return place
