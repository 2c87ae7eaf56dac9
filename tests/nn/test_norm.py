"""Norm statistics per task (method.md: Batch norm)."""

import pytest
import torch
from torch import Tensor, nn

from mrtune.nn.norm import TaskNorm

UNITS = 4
ALL = torch.ones(2, UNITS, dtype=torch.bool)


def _norm(tasks: int = 2, **options: object) -> TaskNorm:
    return TaskNorm(nn.BatchNorm2d(UNITS, **options).double(), tasks, norm_eval="task")


def _batch(seed: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(5, UNITS, 3, 3, dtype=torch.float64, generator=rng) * (seed + 1) + seed


def _mean(x: Tensor) -> Tensor:
    return x.mean((0, 2, 3))


def _var(x: Tensor) -> Tensor:
    return x.movedim(1, 0).flatten(1).var(1)


def test_training_normalises_as_torch_does() -> None:
    x = _batch(1)
    torch.testing.assert_close(_norm()(x, 0), nn.BatchNorm2d(UNITS).double()(x))


def test_first_batch_is_taken_whole() -> None:
    norm = _norm()
    norm(_batch(1), 0)
    torch.testing.assert_close(norm.running_mean[0], _mean(_batch(1)))
    torch.testing.assert_close(norm.running_var[0], _var(_batch(1)))


def test_later_batches_are_blended_by_momentum() -> None:
    norm = _norm(momentum=0.3)
    norm(_batch(1), 0)
    norm(_batch(2), 0)
    torch.testing.assert_close(
        norm.running_mean[0], 0.7 * _mean(_batch(1)) + 0.3 * _mean(_batch(2))
    )


def test_without_momentum_batches_are_averaged() -> None:
    norm = _norm(momentum=None)
    for seed in range(3):
        norm(_batch(seed), 0)
    mean = torch.stack([_mean(_batch(seed)) for seed in range(3)]).mean(0)
    torch.testing.assert_close(norm.running_mean[0], mean)


def test_a_task_leaves_the_statistics_of_others_alone() -> None:
    norm = _norm()
    norm(_batch(1), 0)
    assert norm.running_mean[1].eq(0).all()
    assert norm.batches.tolist() == [[1] * UNITS, [0] * UNITS]


def test_statistics_are_updated_only_for_units_the_task_holds() -> None:
    norm = _norm()
    active = torch.tensor([[True, False, True, False], [True] * 4])
    norm(_batch(1), 0, active)
    assert norm.batches[0].tolist() == [1, 0, 1, 0]
    assert norm.running_mean[0, [1, 3]].eq(0).all()


def test_evaluation_does_not_depend_on_the_neighbours_in_the_batch() -> None:
    norm = _norm()
    norm(_batch(1), 0)
    norm.eval()
    x = _batch(2)
    torch.testing.assert_close(norm(x, 0)[:1], norm(x[:1], 0))


def test_evaluation_by_batch_normalises_and_remembers_nothing() -> None:
    norm = TaskNorm(nn.BatchNorm2d(UNITS).double(), 2, norm_eval="batch").eval()
    out = norm(_batch(3), 1)
    assert _mean(out).abs().max() < 1e-12
    assert norm.batches.eq(0).all()


def test_trained_statistics_are_given_to_every_task() -> None:
    source = nn.BatchNorm2d(UNITS).double()
    source(_batch(1))
    norm = TaskNorm(source, 2, norm_eval="task")
    torch.testing.assert_close(norm.running_mean, source.running_mean.expand(2, -1))
    assert norm.batches.eq(1).all()


def test_newly_held_unit_starts_from_the_lowest_task_that_held_it() -> None:
    norm = _norm(tasks=4)
    before = torch.ones(4, UNITS, dtype=torch.bool)
    before[0, 2] = before[1, 2] = False
    for task in (2, 3):
        norm(_batch(task), task, before)
    after = before.clone()
    after[0, 2] = True
    norm.activate(before, after)
    assert norm.running_mean[0, 2] == norm.running_mean[2, 2]
    assert norm.running_var[0, 2] == norm.running_var[2, 2]
    assert norm.batches[0, 2] == 1


def test_newly_held_unit_may_start_from_a_task_that_gives_it_up() -> None:
    norm = _norm()
    before = torch.tensor([[False] * 4, [True] * 4])
    norm(_batch(1), 1, before)
    norm.activate(before, ~before)
    torch.testing.assert_close(norm.running_mean[0], norm.running_mean[1])
    assert norm.batches.tolist() == [[1] * UNITS, [0] * UNITS]


def test_newly_held_unit_without_donor_takes_the_first_batch_whole() -> None:
    norm = _norm()
    before = torch.tensor([[True, True, True, False], [True, True, True, False]])
    norm(_batch(1), 0, before)
    norm.activate(before, ALL)
    norm(_batch(2), 0, ALL)
    assert norm.running_mean[0, 3] == _mean(_batch(2))[3]
    assert norm.running_mean[0, 0] != _mean(_batch(2))[0]


def test_same_partition_again_changes_nothing() -> None:
    norm = _norm()
    norm(_batch(1), 0)
    before = {name: b.clone() for name, b in norm.named_buffers()}
    norm.activate(ALL, ALL)
    assert all(before[name].equal(b) for name, b in norm.named_buffers())


@pytest.mark.parametrize("training", [True, False])
def test_norm_without_running_statistics_uses_the_batch(training: bool) -> None:
    norm = _norm(track_running_stats=False).train(training)
    assert _mean(norm(_batch(2), 0)).abs().max() < 1e-12
