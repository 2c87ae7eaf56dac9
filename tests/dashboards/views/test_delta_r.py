import math
from typing import Any

import pytest

from dashboards.blocks import Choice, Row
from dashboards.views import delta_r
from mrtune.study import Objective, StudyRecord
from tests.dashboards.views.made import configurations, figure_of, strong, table_of, texts


def grid(**more: Any) -> StudyRecord:
    return configurations(
        ({"delta": 0.1, "r": 0.5}, [0.60, 0.62]),
        ({"delta": 0.1, "r": 1}, [0.66, 0.68]),
        ({"delta": 1, "r": 1}, [0.61, 0.63]),
        ({"r": 0}, [0.55]),
        **more,
    )


def test_cells_are_summarised_and_the_spread_is_set_against_the_noise() -> None:
    found = delta_r.info(grid())
    means = {place: (cell.mean, cell.n) for place, cell in found.cells.items()}
    assert means == {
        (0.1, 0.5): pytest.approx((0.61, 2)),
        (0.1, 1): pytest.approx((0.67, 2)),
        (1, 1): pytest.approx((0.62, 2)),
    }
    assert found.noise.within == pytest.approx(math.sqrt(0.0002))
    assert found.noise.expected == pytest.approx(0.01)
    assert found.noise.f == pytest.approx(10 + 1 / 3)
    assert found.noise.p == pytest.approx((3 / (3 + 2 * found.noise.f)) ** 1.5)  # 2 and 3 df
    assert found.best == (0.1, 1)
    assert found.good == ((0.1, 1),)
    assert found.fixed is not None
    assert found.fixed.mean == 0.55


def test_the_verdict_says_not_flat_and_flat() -> None:
    assert "is not flat" in delta_r.verdict(delta_r.info(grid()))
    flat = configurations(
        ({"delta": 0.1, "r": 1}, [0.60, 0.62]), ({"delta": 1, "r": 1}, [0.61, 0.63])
    )
    found = delta_r.info(flat)
    assert "looks flat" in delta_r.verdict(found)
    # √2 times the error of a mean, which is 0.01, times the t of two degrees of freedom, 4.303.
    said = "two cells of 2 trainings would have to differ by 0.061 to be told apart."
    assert delta_r.verdict(found).endswith(f"No difference is shown; {said}")
    assert found.good == ((0.1, 1), (1, 1))


@pytest.mark.parametrize(
    ("zero", "told", "said"),
    [
        (0.655, "yes", "within the noise of that"),
        (0.59, "no", "worse by more than the noise"),
        (0.75, "no", "better by more than the noise"),
    ],
)
def test_r_0_is_judged_by_the_same_yardstick(zero: float, told: str, said: str) -> None:
    record = configurations(
        ({"delta": 0.1, "r": 1}, [0.66, 0.68]),
        ({"delta": 1, "r": 1}, [0.61, 0.63]),
        ({"r": 0}, [zero, zero]),
    )
    page = delta_r.blocks(record, {})
    assert [row[-1] for row in table_of(page)] == ["yes", "yes", told]
    assert "Best with roaming: Δ 0.1, r 1" in texts(page)
    assert f"r = 0, without roaming, has {zero:.4f} ± 0.0000, {said}." in texts(page)


def test_without_noise_r_0_is_told_and_no_cell_is_judged() -> None:
    record = configurations(
        ({"delta": 0.1, "r": 1}, [0.6]), ({"delta": 1, "r": 1}, [0.7]), ({"r": 0}, [0.8])
    )
    page = delta_r.blocks(record, {})
    assert "r = 0, without roaming, has 0.8000, better." in texts(page)
    assert [row[-1] for row in table_of(page)] == ["–", "–", "–"]


def test_without_a_second_seed_flatness_cannot_be_said() -> None:
    record = configurations(({"delta": 0.1, "r": 1}, [0.6]), ({"delta": 1, "r": 1}, [0.7]))
    assert "cannot be said" in texts(delta_r.blocks(record, {}))


def test_a_cell_without_trials_is_blank_and_r_0_a_strip_of_its_own() -> None:
    heat, strip = figure_of(delta_r.blocks(grid(), {})).data
    assert list(heat.y) == ["0.5", "1"]
    assert list(heat.z[0]) == [pytest.approx(0.61), None]
    assert list(heat.text[0]) == ["0.6100<br>n = 2", ""]
    assert list(heat.z[1]) == pytest.approx([0.67, 0.62])
    assert heat.zsmooth is None
    assert [list(line) for line in strip.z] == [[0.55]]
    assert strip.dx == 2


def test_the_table_has_the_cells_with_trials_only() -> None:
    page = delta_r.blocks(grid(), {})
    assert [row[:4] for row in table_of(page)] == [
        ["0.1", "0.5", "0.6100 ± 0.0141", "2"],
        ["0.1", "1", "0.6700 ± 0.0141", "2"],
        ["1", "1", "0.6200 ± 0.0141", "2"],
        ["–", "0", "0.5500", "1"],
    ]
    assert strong(page) == ["0.6700 ± 0.0141"]


def test_where_less_is_better_the_smallest_is_best_and_brightest() -> None:
    record = grid(objectives=(Objective("depth_rel_error", "minimize"),))
    assert delta_r.info(record).best == (0.1, 0.5)
    assert figure_of(delta_r.blocks(record, {})).layout.coloraxis.reversescale


def test_drawn_values_are_put_together() -> None:
    ranged = {"low": 0, "high": 40, "step": None}
    space = {"budget": {"epochs": 8}, "params": {"finish_at": ranged, "r": ranged}}
    record = configurations(
        ({"finish_at": 4.4, "r": 0.93}, [0.5]),
        ({"finish_at": 6.0, "r": 0.99}, [0.7]),
        ({"finish_at": 18.0, "r": 0.05}, [0.6]),
        space=space,
    )
    found = delta_r.info(record)
    assert found.clock == "finish_at"
    assert {place: cell.n for place, cell in found.cells.items()} == {(5, 1): 2, (20, 0.25): 1}
    assert "drawn from a range" in texts(delta_r.blocks(record, {}))


def test_two_clocks_give_a_choice_and_a_wrong_one_falls_back() -> None:
    record = configurations(({"delta": 0.1, "r": 1}, [0.6, 0.7]), ({"finish_at": 5, "r": 1}, [0.5]))
    page = delta_r.blocks(record, {"clock": "finish_at"})
    (choice,) = next(block.items for block in page if isinstance(block, Row))
    assert isinstance(choice, Choice)
    assert choice.value == "finish_at"
    assert table_of(page)[0][0] == "5"
    assert table_of(delta_r.blocks(record, {"clock": "<sundial>"}))[0][0] == "0.1"
