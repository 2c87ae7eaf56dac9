import math
from typing import Any

import pytest

from dashboards.blocks import Table
from dashboards.views import roaming_p
from mrtune.study import Objective, StudyRecord
from tests.dashboards.views.made import configurations, figure_of, strong, table_of, texts


def three(**more: Any) -> StudyRecord:
    return configurations(
        ({"method": "mr", "p": 0.5}, [0.60, 0.62, 0.64]),
        ({"method": "tr", "p": 0.5}, [0.59, 0.60, 0.61]),
        ({"method": "mr", "p": 0.30000000000000004, "r": 1}, [0.50, 0.52]),
        ({"method": "mr", "p": 0.3, "r": 0}, [0.55, 0.55]),
        ({"method": "mr", "p": 0.9}, [0.70]),
        ({"method": "mtl"}, [0.99]),
        **more,
    )


def test_gains_are_paired_by_seed_and_corrected_for_all_p() -> None:
    low, half, high = roaming_p.info(three()).at
    assert [at.p for at in (low, half, high)] == [0.3, 0.5, 0.9]
    assert half.roaming is not None
    assert half.fixed is not None
    assert half.gain is not None
    assert (half.roaming.mean, half.roaming.std, half.roaming.n) == pytest.approx((0.62, 0.02, 3))
    assert (half.fixed.mean, half.fixed.std, half.fixed.n) == pytest.approx((0.60, 0.01, 3))
    assert half.gain.difference == pytest.approx(0.02)
    assert half.gain.high == pytest.approx(0.02 + 4.302653 * 0.01 / math.sqrt(3), abs=1e-7)
    assert half.p_holm == pytest.approx(2 * (1 - math.sqrt(12 / 14)))  # t = √12, 2 df, of two
    assert low.difference == pytest.approx(-0.04)
    assert low.p_holm == pytest.approx(1 - 2 / math.pi * math.atan(4))  # t = 4, 1 df
    assert high.fixed is None
    assert math.isnan(high.difference)


def test_where_less_is_better_a_gain_is_a_smaller_value() -> None:
    record = three(objectives=(Objective("depth_rel_error", "minimize"),))
    found = roaming_p.info(record)
    assert [at.difference for at in found.at[:2]] == pytest.approx([0.04, -0.02])
    assert "Best: roaming at p = 0.3" in roaming_p.verdict(found)


def test_values_from_a_range_are_put_together_by_tenths() -> None:
    space = {"budget": {"epochs": 8}, "params": {"p": {"low": 0.1, "high": 0.9, "step": None}}}
    record = configurations(
        ({"p": 0.361, "r": 1.0}, [0.5]),
        ({"p": 0.437, "r": 1.0}, [0.7]),
        ({"p": 0.44, "r": 0.0}, [0.6]),
        ({"p": 0.86, "r": 0.5}, [0.4]),
        space=space,
    )
    found = roaming_p.info(record)
    assert [at.p for at in found.at] == [0.4, 0.9]
    assert found.at[0].roaming is not None
    assert (found.at[0].roaming.mean, found.at[0].roaming.n) == pytest.approx((0.6, 2))
    assert found.pooled
    assert "several configurations" in texts(roaming_p.blocks(record, {}))
    assert "to the nearest 0.1" in figure_of(roaming_p.blocks(record, {})).layout.xaxis2.title.text


def test_the_page_says_the_best_and_where_roaming_helps() -> None:
    page = roaming_p.blocks(three(), {})
    assert "Best: roaming at p = 0.9, F-score 0.7000 (n = 1)" in texts(page)
    assert "better at 1 of 2 p; none of these gains is significant" in texts(page)
    assert table_of(page)[1][:6] == [
        "0.5",
        "0.6200 ± 0.0200",
        "3",
        "0.6000 ± 0.0100",
        "3",
        "+0.0200",
    ]
    assert strong(page) == ["0.7000"]


def test_a_gain_that_is_significant_is_said_and_filled() -> None:
    record = configurations(
        ({"method": "mr", "p": 0.5}, [0.60, 0.62, 0.641]),
        ({"method": "tr", "p": 0.5}, [0.50, 0.521, 0.54]),
    )
    page = roaming_p.blocks(record, {})
    assert "significantly better at p = 0.5" in texts(page)
    assert [trace.name for trace in figure_of(page).data] == [
        "fixed, mean ± std (n = 3)",
        "roaming, mean ± std (n = 3)",
        "gain ± 95 %, significant",
    ]


def test_roaming_is_compared_with_the_best_fixed_partition() -> None:
    record = configurations(
        ({"method": "mr", "p": 0.3}, [0.55, 0.57, 0.59]),
        ({"method": "tr", "p": 0.3}, [0.50, 0.52, 0.54]),
        ({"method": "mr", "p": 0.5}, [0.70, 0.721, 0.74]),
        ({"method": "tr", "p": 0.5}, [0.50, 0.51, 0.52]),
        ({"method": "mr", "p": 0.9}, [0.61, 0.62, 0.64]),
        ({"method": "tr", "p": 0.9}, [0.60, 0.62, 0.64]),
    )
    found = roaming_p.info(record)
    assert found.best_fixed is found.at[2]
    assert [at.over_best.n for at in found.at] == [3, 3, 3]
    assert found.at[1].over_best.difference == pytest.approx(0.301 / 3)
    page = roaming_p.blocks(record, {})
    assert "ahead of the best fixed partition (p = 0.9) at 2 of 3 p, significantly " in texts(page)
    assert "significantly ahead at p = 0.5 and significantly behind at p = 0.3." in texts(page)
    assert [row[-2] for row in table_of(page)] == ["−0.0500", "+0.1003", "+0.0033"]
    assert "+0.1003" in strong(page)


def test_a_p_without_a_fixed_partition_has_no_bar_of_it() -> None:
    fixed, roaming, gain = figure_of(roaming_p.blocks(three(), {})).data
    assert list(fixed.x) == ["0.3", "0.5"]
    assert list(roaming.x) == ["0.3", "0.5", "0.9"]
    assert list(roaming.y) == pytest.approx([0.51, 0.62, 0.70])
    assert roaming.error_y.array[2] is None
    assert gain.marker.symbol == "circle-open"


def test_what_has_no_p_is_left_out_and_counted() -> None:
    record = configurations(({"p": {"shallow": 0.9, "deep": 0.5}}, [0.4]), ({"p": 0.5}, [0.4]))
    assert "their p is not one number: 1." in texts(roaming_p.blocks(record, {}))


def steps(**more: Any) -> StudyRecord:
    """Two steps at p = 0.3: roaming gains with one of them."""
    choices = {"step": ["joint", "<b>"], "method": ["mr", "tr"], "p": [0.3]}
    params: dict[str, Any] = {name: {"choices": c, "when": {}} for name, c in choices.items()}
    params["finish_at"] = {"choices": [3, 5], "when": {"method": ["mr"]}}
    known = {"budget": {"epochs": 8}, "sampler": "grid", "params": params}
    return configurations(
        ({"step": "joint", "method": "mr", "p": 0.3, "finish_at": 3}, [0.60, 0.62, 0.641]),
        ({"step": "joint", "method": "tr", "p": 0.3}, [0.50, 0.521, 0.54]),
        ({"step": "<b>", "method": "mr", "p": 0.3, "finish_at": 3}, [0.30, 0.32, 0.34]),
        ({"step": "<b>", "method": "tr", "p": 0.3}, [0.31, 0.32, 0.33]),
        space=known | more,
    )


def test_what_else_a_grid_varies_has_rows_of_its_own() -> None:
    page = roaming_p.blocks(steps(), {})
    found = roaming_p.info(steps())
    assert [at.others for at in found.at] == [("<b>",), ("joint",)]
    assert [at.difference for at in found.at] == pytest.approx([0, 0.1], abs=1e-3)
    assert not found.pooled
    columns = next(block.columns for block in page if isinstance(block, Table))
    assert [column.title for column in columns[:3]] == ["step", "p", "roaming"]
    assert [row[:3] for row in table_of(page)] == [
        ["<b>", "0.3", "0.3200 ± 0.0200"],
        ["joint", "0.3", "0.6203 ± 0.0205"],
    ]
    assert "Best: roaming at p = 0.3 with step joint" in texts(page)
    assert "2 settings, significantly better at p = 0.3 with step joint" in texts(page)
    drawn = figure_of(page)
    assert list(drawn.layout.xaxis.categoryarray) == ["0.3<br>&lt;b&gt;", "0.3<br>joint"]
    assert "below: step" in drawn.layout.xaxis2.title.text


def test_what_a_sampler_draws_is_pooled() -> None:
    page = roaming_p.blocks(steps(sampler="tpe"), {})
    assert [row[0] for row in table_of(page)] == ["0.3"]
    assert "several configurations" in texts(page)
