import itertools

import pytest
import torch
from torch import Tensor

from mrtune.roaming import Preference, initial_partition, swap
from mrtune.roaming.swap import _place_in_line


def rows(*lines: str) -> Tensor:
    """Partitions drawn by hand: `rows("##.", ".##")` is [task, unit]."""
    return torch.tensor([[mark == "#" for mark in line] for line in lines])


def preference(shape: torch.Size, seed: int = 0) -> Preference:
    generator = torch.Generator().manual_seed(seed)
    return Preference(*torch.rand(2, *shape, generator=generator))


def test_nothing_given_is_changed() -> None:
    active = initial_partition(12, 4, 0.5, torch.Generator().manual_seed(0))[None]
    visited, due = active.clone(), torch.ones(1, 4, dtype=torch.bool)
    wishes = preference(active.shape)
    given = [tensor.clone() for tensor in (active, visited, due, *wishes)]
    swap(active, visited, wishes, due)
    for before, after in zip(given, (active, visited, due, *wishes), strict=True):
        assert torch.equal(before, after)


def test_only_tasks_that_are_due_and_can_move_do() -> None:
    """Task 0 is due, task 1 is not, task 2 has visited everything, task 3 holds nothing."""
    active = rows("##..", ".##.", "..##", "....")[None]
    visited = rows("##..", ".##.", "####", "....")[None]
    due = torch.tensor([[True, False, True, True]])
    made = swap(active, visited, preference(active.shape), due)
    moved = (made.active != active).any(dim=2)
    assert moved.tolist() == [[True, False, False, False]]


def test_relaxations_are_counted_in_the_layer_that_needs_them() -> None:
    """Layer 0 shares every unit; in layer 1, task 0 can give up neither unit 0 nor unit 1."""
    shared, lonely = rows("##.", "##.", "###"), rows("##.", "..#", "..#")
    active = torch.stack([shared, lonely])
    visited = torch.stack([shared, rows("##.", "###", "###")])
    due = torch.tensor([[True, True, True], [True, True, True]])
    made = swap(active, visited, preference(active.shape), due)
    assert made.relaxed.tolist() == [0, 1]
    assert swap(active, visited, preference(active.shape), due, False).relaxed.tolist() == [0, 0]


def fewest_relaxations(active: Tensor, entering: Tensor) -> int:
    """Try every way to leave and count the units lost in the best one."""
    tasks, units = active.shape
    kept = active.sum(dim=0) + torch.bincount(entering, minlength=units)
    choices = [row.nonzero().flatten().tolist() for row in active]
    best = tasks
    for leaving in itertools.product(*choices):
        left = kept - torch.bincount(torch.tensor(leaving), minlength=units)
        best = min(best, int((-left.clamp(max=1) + 1).sum()))
    return best


@pytest.mark.parametrize("p", [0.0, 0.3, 0.4])
def test_a_relaxation_is_counted_only_where_there_is_no_other_way(p: float) -> None:
    for seed in range(40):
        active = initial_partition(9, 4, p, torch.Generator().manual_seed(seed))
        visited, due = active.clone(), torch.ones(1, 4, dtype=torch.bool)
        wishes = preference(active.shape, seed)
        made = swap(
            active[None], visited[None], Preference(wishes.leave[None], wishes.enter[None]), due
        )
        entering = (made.active[0] & ~active).int().argmax(dim=1)
        lost = fewest_relaxations(active, entering)
        assert int(made.relaxed) == lost
        assert int((~made.active[0].any(dim=0)).sum()) == lost


def test_a_row_moves_on_to_let_another_leave() -> None:
    """Both tasks share unit 0 only, and each has a second choice once the units have entered.

    Task 0 wants to leave unit 0 most and gets it; task 1 could leave only unit 0: task 0 must give
    way and leave unit 1, which task 2 enters.
    """
    active = rows("##....", "#.#...", "...###")[None]
    visited = rows("####..", "#####.", "#.####")[None]
    enter = torch.zeros(1, 3, 6)
    leave = torch.tensor([[[0.9, 0.1, 0, 0, 0, 0], [0.8, 0.1, 0, 0, 0, 0], [0] * 6]])
    made = swap(active, visited, Preference(leave, enter), torch.tensor([[True, True, True]]))
    assert made.relaxed.tolist() == [0]
    assert made.active.any(dim=1).all()


def test_those_who_want_a_seat_most_come_first() -> None:
    seat = torch.tensor([3, 1, 3, 3, 1])
    wish = torch.tensor([0.2, 0.5, 0.9, 0.2, 0.7])
    assert _place_in_line(seat, wish).tolist() == [2, 2, 1, 3, 1]
