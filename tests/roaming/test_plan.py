from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mrtune.errors import ParameterError
from mrtune.roaming import Plan
from tests.roaming.drawn import shares

counts = st.integers(0, 512)
batches = st.integers(1, 1000)
spans = st.floats(0.001, 100)


def test_delta_is_counted_in_whole_iterations() -> None:
    plan = Plan(batches_per_epoch=636, delta=0.1)
    assert plan.interval(swaps=256) == 64
    assert [plan.swaps_by(i, 256) for i in (63, 64, 127, 128)] == [0, 1, 1, 2]


def test_a_delta_shorter_than_a_batch_swaps_at_every_batch() -> None:
    plan = Plan(batches_per_epoch=10, delta=0.001)
    assert plan.interval(swaps=5) == 1
    assert [plan.swaps_by(i, 5) for i in range(8)] == [0, 1, 2, 3, 4, 5, 5, 5]


@pytest.mark.parametrize(("p", "end"), [(0.8, 10.3), (0.5, 25.8), (0.3, 36.0)])
def test_celeba_plans_end_when_lemma_1_says(p: float, end: float) -> None:
    """Lemma 1.1 on the widest layer of ResNet-18: Δ·(1 − p)·S_max epochs, Δ = 0.1 ≈ 64/636."""
    plan = Plan(batches_per_epoch=636, delta=0.1)
    held = round(p * 512)
    assert plan.end(plan.swaps(512, held)) == pytest.approx(end, abs=0.1)


@given(counts, batches, spans)
@example(504, 671, 66.5)
def test_all_swaps_are_done_at_the_end_and_not_before(
    swaps: int, batches: int, span: float
) -> None:
    """Lemma 1.1: the end is the iteration of the last swap."""
    for plan in (
        Plan(batches_per_epoch=batches, delta=span),
        Plan(batches_per_epoch=batches, finish_at=span),
    ):
        last = plan.iteration_of(swaps, swaps)
        assert plan.end(swaps) == last / batches
        assert plan.iterations(plan.end(swaps)) == last
        assert plan.swaps_by(last, swaps) == swaps
        if swaps:
            assert plan.swaps_by(last - 1, swaps) == swaps - 1


def test_the_iteration_of_a_swap_is_the_one_at_which_it_is_due() -> None:
    """A quotient that rounds up to a whole number must not bring a swap forward."""
    plan = Plan(batches_per_epoch=5000, finish_at=140.49180006402213)
    last = plan.iteration_of(1, 1)
    assert [plan.swaps_by(last - 1, 1), plan.swaps_by(last, 1)] == [0, 1]


@given(st.integers(1, 512), batches, spans)
def test_finish_at_is_met_wherever_a_swap_a_batch_is_enough(
    swaps: int, batches: int, finish_at: float
) -> None:
    plan = Plan(batches_per_epoch=batches, finish_at=finish_at)
    if swaps <= finish_at * batches:
        assert plan.end(swaps) <= finish_at + 1 / batches
        assert plan.end(swaps) >= finish_at - 1e-6
    else:
        assert plan.end(swaps) == swaps / batches


@given(st.integers(1, 512), batches, spans)
def test_a_batch_makes_one_swap_at_most(swaps: int, batches: int, finish_at: float) -> None:
    plan = Plan(batches_per_epoch=batches, finish_at=finish_at)
    done = [plan.swaps_by(i, swaps) for i in range(min(2000, plan.iteration_of(swaps, swaps)) + 1)]
    assert done[0] == 0
    assert all(0 <= after - before <= 1 for before, after in pairwise(done))


def test_layers_of_any_width_finish_together_with_finish_at() -> None:
    plan = Plan(batches_per_epoch=100, finish_at=5)
    assert {plan.end(swaps) for swaps in (32, 64, 128, 256, 500)} == {5.0}


@given(st.integers(1, 512), st.integers(1, 512), shares)
def test_r_scales_the_number_of_swaps(units: int, held: int, r: float) -> None:
    held = min(units, held)
    swaps = Plan(batches_per_epoch=1, delta=1, r=r).swaps(units, held)
    assert swaps == round(r * (units - held))
    assert 0 <= swaps <= units - held


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0}, "delta must be a number above 0 and at most 1e\\+06, got 0"),
        ({"delta": -1.0}, "delta must be a number above 0 and at most 1e\\+06, got -1.0"),
        ({"delta": float("inf")}, "delta must be a number above 0 and at most 1e\\+06, got inf"),
        ({"delta": None}, "plan must be given by delta or by finish_at, one of them"),
        ({"finish_at": 3.0}, "plan must be given by delta or by finish_at, one of them"),
        (
            {"delta": None, "finish_at": 0.0},
            "finish_at must be a number above 0 and at most 1e\\+06, got 0.0",
        ),
        ({"delta": "1"}, "delta must be a number above 0 and at most 1e\\+06, got '1'"),
        ({"r": 1.1}, "r must be a number from 0 to 1, got 1.1"),
        ({"batches_per_epoch": 0}, "batches_per_epoch must be a whole number of at least 1, got 0"),
    ],
)
def test_nonsense_is_refused_by_name_rule_and_value(arguments: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Plan(**({"batches_per_epoch": 10, "delta": 1.0} | arguments))
