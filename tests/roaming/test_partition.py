import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mrtune.errors import ParameterError
from mrtune.roaming import initial_partition, orphans, row_size
from tests.roaming.drawn import shares

sizes = st.integers(1, 64)
seeds = st.integers(0, 2**32)


def draw(units: int, tasks: int, p: float, seed: int = 0, init: str = "exact") -> torch.Tensor:
    return initial_partition(units, tasks, p, torch.Generator().manual_seed(seed), init)


@given(sizes, st.integers(1, 9), shares, seeds, st.sampled_from(["exact", "bernoulli"]))
def test_every_unit_has_a_task(units: int, tasks: int, p: float, seed: int, init: str) -> None:
    """Eq. 3."""
    assert orphans(draw(units, tasks, p, seed, init)) == 0


@given(sizes, st.integers(1, 9), shares, seeds)
def test_every_task_holds_the_same_number_of_units(
    units: int, tasks: int, p: float, seed: int
) -> None:
    held = draw(units, tasks, max(p, 1 / tasks), seed).sum(dim=1)
    assert (held == row_size(units, max(p, 1 / tasks))).all()


@given(sizes, st.integers(2, 9), seeds)
def test_below_one_over_tasks_the_partition_is_disjoint(units: int, tasks: int, seed: int) -> None:
    for p in (0.0, 0.99 / tasks):
        active = draw(units, tasks, p, seed)
        if units >= tasks:
            assert (active.sum(dim=0) == 1).all()
        else:
            assert (active.sum(dim=1) == 1).all()  # one each is the nearest to disjoint there is


@pytest.mark.parametrize(
    ("p", "units", "held"),
    [
        (0.9, 10, 9),
        (1.0 - 0.9, 10, 1),  # 0.09999999999999998
        (0.07, 100, 7),  # 0.07 * 100 is 7.000000000000001
        (0.3, 10, 3),
        (0.6, 10, 6),
        (0.3, 512, 154),
        (1.0, 7, 7),
        (0.0, 7, 0),
    ],
)
def test_row_size_is_safe_from_float_traps(p: float, units: int, held: int) -> None:
    assert row_size(units, p) == held


def test_p_of_one_shares_everything() -> None:
    assert draw(16, 4, 1.0).all()


def test_the_first_partition_is_uniform_over_units_and_tasks() -> None:
    """P(m = 1) = p for each entry: 4,000 draws, tolerance of five standard deviations (0.04)."""
    total = sum(draw(10, 4, 0.6, seed).double() for seed in range(4000))
    assert torch.allclose(total / 4000, torch.full((4, 10), 0.6, dtype=torch.float64), atol=0.04)


def test_the_round_robin_is_random() -> None:
    """At p = 0 any two of 7 units share an owner equally often, and so does the odd one out.

    3,000 draws; of 21 pairs, the round-robin over 3 tasks (3 + 2 + 2) joins 3 + 1 + 1 = 5.
    """
    together = torch.zeros(7, 7)
    extra = torch.zeros(3)
    for seed in range(3000):
        active = draw(7, 3, 0.0, seed).float()
        together += active.T @ active
        extra += active.sum(dim=1) == 3
    pairs = together[*torch.triu_indices(7, 7, offset=1)] / 3000
    assert (pairs - 5 / 21).abs().max() < 0.04
    assert (extra / 3000 - 1 / 3).abs().max() < 0.045


def test_bernoulli_draws_each_entry_with_p() -> None:
    """Entries follow B(p), plus the orphans' share (1 − p)^T / T: 0.3 + 0.7⁴/4 = 0.36."""
    total = sum(draw(10, 4, 0.3, seed, "bernoulli").double() for seed in range(4000))
    expected = 0.3 + 0.7**4 / 4
    assert torch.allclose(
        total / 4000, torch.full((4, 10), expected, dtype=torch.float64), atol=0.04
    )


def test_a_seed_fixes_the_partition_and_leaves_the_global_generator_alone() -> None:
    before = torch.get_rng_state()
    assert torch.equal(draw(64, 8, 0.3, seed=7), draw(64, 8, 0.3, seed=7))
    assert not torch.equal(draw(64, 8, 0.3, seed=7), draw(64, 8, 0.3, seed=8))
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"p": 1.5}, "p must be a number from 0 to 1, got 1.5"),
        ({"p": -0.1}, "p must be a number from 0 to 1, got -0.1"),
        ({"p": float("nan")}, "p must be a number from 0 to 1, got nan"),
        ({"p": "half"}, "p must be a number from 0 to 1, got 'half'"),
        ({"units": 0}, "units must be a whole number of at least 1, got 0"),
        ({"units": 2.5}, "units must be a whole number of at least 1, got 2.5"),
        ({"tasks": 0}, "tasks must be a whole number of at least 1, got 0"),
        ({"init": "magic"}, "init must be one of exact, bernoulli, got 'magic'"),
    ],
)
def test_nonsense_is_refused_by_name_rule_and_value(arguments: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        draw(**({"units": 10, "tasks": 2, "p": 0.5} | arguments))
