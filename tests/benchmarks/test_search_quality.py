import math

import pytest

from benchmarks import replay, searchers
from benchmarks.curves import AXES, Curve, Point
from benchmarks.search import Pace
from benchmarks.search_quality import answer, noise, regrets
from benchmarks.searchers import EPOCHS, SEARCHES, Epoch, shuffled_grid

P = AXES.index("p")


@pytest.fixture
def curves(monkeypatch: pytest.MonkeyPatch) -> dict[Point, Curve]:
    """Curves that rise to p, and the faster the higher it is."""
    grid = [
        (lr, p, r, finish)
        for lr in (1e-3, 1e-2)
        for p in (0.3, 0.6, 0.9)
        for r, finish in ((0.0, None), (1.0, 1.0))
    ]
    table: dict[Point, Curve] = {}
    for point in grid:
        scores = [point[1] * epoch / EPOCHS for epoch in range(1, EPOCHS + 1)]
        table[point] = Curve(point, 0, scores, [1.0] * EPOCHS, 1.0)
    monkeypatch.setattr(replay, "first_seeds", lambda: table)
    monkeypatch.setattr(searchers, "first_seeds", lambda: table)
    return table


def test_the_answer_is_the_best_of_those_trained_the_longest() -> None:
    one, two, three = (0.1,), (0.2,), (0.3,)
    spent = [Epoch(0, one, 1, 0.9), Epoch(1, two, 1, 0.1), Epoch(1, two, 2, 0.2)]
    assert answer(spent) == two
    assert answer([*spent, Epoch(2, three, 2, 0.3)]) == three


def test_the_whole_grid_has_no_regret(curves: dict[Point, Curve]) -> None:
    first, whole = regrets(shuffled_grid, 0, curves, [1 / len(curves), 1.0])
    assert whole == 0
    assert first == pytest.approx(0.9 - next(iter(shuffled_grid(0, 1))).point[P])


def test_noise_is_pooled_over_configurations_with_several_seeds() -> None:
    finals = {(0.1,): (0.5, 0.7), (0.2,): (0.2, 0.2), (0.3,): (0.9,)}
    curves = [
        Curve(point, seed, [value], [1.0], 1.0)
        for point, values in finals.items()
        for seed, value in enumerate(values)
    ]
    assert noise(curves) == pytest.approx(math.sqrt(0.02 / 2))


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_spends_whole_prefixes_of_curves(
    name: str, curves: dict[Point, Curve]
) -> None:
    trials: dict[int, list[Epoch]] = {}
    for epoch in SEARCHES[name](0, 6):
        trials.setdefault(epoch.trial, []).append(epoch)
    assert sorted(trials) == list(range(6))
    for spent in trials.values():
        assert [e.number for e in spent] == list(range(1, len(spent) + 1))
        assert [e.score for e in spent] == curves[spent[0].point].f_score[: len(spent)]
    lengths = [len(spent) for spent in trials.values()]
    pruned = any(length < EPOCHS for length in lengths)
    assert pruned == ("ASHA" in name or "halving" in name)


def test_the_pace_under_way_leaves_the_start_out() -> None:
    ends = [10.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]
    assert Pace.of(ends, 18.0) == Pace(whole=18 / 8, further=1.0)
