import math

import pytest

from dashboards.views import seeds
from mrtune.study import Objective
from tests.dashboards.views.made import configurations, figure_of, strong, table_of, texts

MADE = (
    ({"p": 0.3}, [0.60, 0.621, 0.64]),
    ({"p": 0.5}, [0.70, 0.72, 0.74]),
    ({"p": 0.7}, [0.69, 0.70, 0.71]),
    ({"p": 0.9}, [0.99]),
)
RECORD = configurations(*MADE)


def test_configurations_with_several_seeds_are_tested_against_the_best() -> None:
    found = seeds.info(RECORD)
    best, second, third = found.shown
    assert [c.number for c in found.shown] == [3, 6, 0]
    assert (found.several, found.single) == (3, 1)
    assert best.margin == pytest.approx(4.302653 * 0.02 / math.sqrt(3), abs=1e-7)
    assert best.behind is None
    assert second.behind is not None
    assert second.behind.difference == pytest.approx(0.02)
    assert second.p_holm == pytest.approx(1 - math.sqrt(12 / 14))  # t = √12, 2 df, the last of two
    assert third.p_holm < 0.001
    assert third.beaten
    assert not second.beaten


def test_the_page_says_whether_the_winner_is_real() -> None:
    page = seeds.blocks(RECORD, {})
    assert "one of several: not significantly worse are 1 of the next 2" in texts(page)
    assert "trial 6 (−0.0200, corrected p-value 0.074)" in texts(page)
    assert "one complete seed, not shown: 1." in texts(page)
    assert "winner is real" in texts(seeds.blocks(configurations(*MADE[:2]), {}))
    assert "may be luck" in texts(seeds.blocks(configurations(*MADE[1:3]), {}))


def test_the_table_has_the_same_numbers() -> None:
    page = seeds.blocks(RECORD, {})
    assert table_of(page)[0] == [
        *("3", "0.7200 ± 0.0200", "0.6703 to 0.7697", "3", "", "", "p=0.5"),
    ]
    assert table_of(page)[1][4:6] == ["−0.0200", "0.074"]
    assert strong(page) == ["0.7200 ± 0.0200"]


def test_every_seed_has_its_dot() -> None:
    *intervals, dots = figure_of(seeds.blocks(RECORD, {})).data
    assert [trace.name for trace in intervals] == [
        "the best",
        "not significantly worse",
        "significantly worse",
    ]
    assert sorted(dots.x) == pytest.approx([0.60, 0.621, 0.64, 0.69, 0.70, 0.70, 0.71, 0.72, 0.74])
    assert list(intervals[0].x) == pytest.approx([0.72])


def test_where_less_is_better_the_smallest_mean_wins() -> None:
    record = configurations(*MADE, objectives=(Objective("loss", "minimize"),))
    found = seeds.info(record)
    assert [c.number for c in found.shown] == [0, 6, 3]
    assert all(c.behind is None or c.behind.difference > 0 for c in found.shown)


def test_only_the_best_twelve_are_shown() -> None:
    record = configurations(*(({"p": n}, [n, n + 0.5]) for n in range(15)))
    found = seeds.info(record)
    assert [c.summary.mean for c in found.shown] == [n + 0.25 for n in range(14, 2, -1)]
    assert found.several == 15


def test_long_parameters_are_cut_in_the_figure_alone() -> None:
    params = {f"parameter_{n}": n for n in range(9)}
    page = seeds.blocks(configurations((params, [0.1, 0.2])), {})
    (annotation,) = figure_of(page).layout.annotations
    assert annotation.text.endswith("…")
    assert table_of(page)[0][-1].endswith("parameter_8=8")
    assert "nothing to beat" in texts(page)
