"""What the paper proves of an update plan, checked on ours."""

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from mrtune.roaming import orphans, overlap, row_size
from tests.roaming.drawn import (
    Layer,
    assert_one_unit_a_task_at_most,
    assert_rows_keep_size,
    layers,
    states,
)


@given(layers)
def test_updates_follow_definition_1(layer: Layer) -> None:
    """Definition 1 and Lemma 1.3."""
    seen = states(layer)
    assert_one_unit_a_task_at_most(seen)
    assert_rows_keep_size(seen)


@given(layers)
def test_the_plan_ends_after_the_predicted_number_of_updates(layer: Layer) -> None:
    """Lemma 1.1, for each task: r·(S − |A_t|) swaps, in a layer as many as its slowest task."""
    seen = states(layer)
    held = seen[0].active.sum(dim=1)
    swaps = [round(layer.r * (layer.units - h)) if h else 0 for h in held.tolist()]
    assert len(seen) - 1 == max(swaps)
    visits = seen[-1].visited.sum(dim=1) - held
    assert visits.tolist() == swaps


@given(layers)
def test_at_completion_every_task_has_held_every_unit_for_an_interval(layer: Layer) -> None:
    """Lemma 1.2: every state lasts one interval at least."""
    seen = states(Layer(**(vars(layer) | {"r": 1.0})))
    intervals_held = torch.stack([state.active for state in seen]).sum(dim=0)
    someone_is_there = seen[0].active.any(dim=1)  # Bernoulli may leave a row empty
    assert (intervals_held[someone_is_there] >= 1).all()


@given(layers)
def test_visited_share_follows_equation_4(layer: Layer) -> None:
    """Eq. 4: P(i ∈ B_t(c)) = p + (1 − p)·r(c), r(c) = c / ((1 − p)·S), p = |A_t| / S."""
    exact = Layer(**(vars(layer) | {"init": "exact", "p": max(layer.p, 1 / layer.tasks)}))
    p = row_size(exact.units, exact.p) / exact.units
    for state in states(exact):
        completion = state.step / ((1 - p) * exact.units) if p < 1 else 0.0
        share = state.visited.double().mean(dim=1)
        assert torch.allclose(share, torch.full_like(share, p + (1 - p) * completion))


@pytest.mark.slow
@pytest.mark.parametrize("coverage_guard", [True, False])
@pytest.mark.parametrize("p", [0.3, 0.5, 0.8])
def test_overlap_stays_constant_on_average(p: float, coverage_guard: bool) -> None:
    """Lemma 2 at S = 64, T = 8 over the seeds 0 to 149, at every step of the plan.

    P(m = 1) stays at p for every unit (tolerance 0.08: five standard deviations of 1,200 draws)
    and the overlap of two tasks at p² (tolerance 0.02: coverage costs at most 0.015 at p = 0.3).
    """
    runs = [
        states(Layer(64, 8, p, 1.0, seed, coverage_guard=coverage_guard)) for seed in range(150)
    ]
    p = row_size(64, p) / 64
    for moment in zip(*runs, strict=True):
        held = torch.stack([state.active for state in moment]).double()
        assert (held.mean(dim=(0, 1)) - p).abs().max() < 0.08
        mean_overlap = sum(overlap(state.active) for state in moment) / len(moment)
        assert abs(mean_overlap - p**2) < 0.02


@given(layers)
def test_an_orphan_comes_only_with_a_counted_relaxation(layer: Layer) -> None:
    """Eq. 3 under the guard."""
    for state in states(Layer(**(vars(layer) | {"coverage_guard": True}))):
        assert orphans(state.active) <= state.relaxed


crowded = st.builds(
    Layer,
    units=st.integers(16, 64),
    tasks=st.integers(2, 9),
    p=st.floats(0.3, 1),
    r=st.just(1.0),
    seed=st.integers(0, 2**32),
)


@given(crowded)
def test_no_unit_is_ever_an_orphan_under_the_guard(layer: Layer) -> None:
    """Eq. 3 for two tasks with equal rows, and for more wherever p·T ≥ 2 leaves room to move.

    Nearer to 1/T a swap can be impossible without an orphan: in a disjoint partition a unit that
    is given up is lost unless another task happens to take it in the same update.
    """
    equal_rows = layer.p * layer.tasks >= 1 or layer.units % layer.tasks == 0
    assume(equal_rows if layer.tasks == 2 else layer.p * layer.tasks >= 2)
    seen = states(layer)
    assert seen[-1].relaxed == 0
    assert all(orphans(state.active) == 0 for state in seen)


def test_without_the_guard_units_do_become_orphans() -> None:
    """method.md: up to 39 orphans at S = 512, T = 8, p = 0.3, so the guard has work to do."""
    free = states(Layer(512, 8, 0.3, 1.0, seed=0, coverage_guard=False))
    kept = states(Layer(512, 8, 0.3, 1.0, seed=0))
    assert max(orphans(state.active) for state in free) > 10
    assert max(orphans(state.active) for state in kept) == 0


def test_the_papers_first_figure() -> None:
    """S = 10, T = 2, p = 0.6: after four updates every unit has been used by both tasks."""
    seen = states(Layer(10, 2, 0.6, 1.0, seed=0))
    assert len(seen) == 5
    assert [int(state.visited.sum()) for state in seen] == [12, 14, 16, 18, 20]


@pytest.mark.parametrize(
    ("layer", "updates"),
    [
        (Layer(12, 3, 1.0, 1.0, 0), 0),  # p = 1: nothing to roam
        (Layer(12, 3, 0.5, 0.0, 0), 0),  # r = 0: Task Routing
        (Layer(1, 1, 0.5, 1.0, 0), 0),
        (Layer(1, 5, 0.0, 1.0, 0), 0),
        (Layer(12, 1, 0.5, 1.0, 0), 0),  # one task owns every unit, to cover them all
        (Layer(12, 3, 0.0, 1.0, 0), 8),  # disjoint: 4 each
        (Layer(10, 2, 0.9, 1.0, 0), 1),
    ],
)
def test_edges(layer: Layer, updates: int) -> None:
    assert len(states(layer)) - 1 == updates
