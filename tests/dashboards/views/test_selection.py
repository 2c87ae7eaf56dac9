import math

import pytest

from dashboards.views import selection
from tests.dashboards.views.made import configurations, figure_of, table_of, texts

RECORD = configurations(
    ({"r": 0}, [0.50, 0.52]),
    ({"r": 0.5, "selection": "uniform"}, [0.60, 0.62, 0.64]),
    ({"r": 0.5, "selection": "cosine"}, [0.59, 0.60, 0.61]),
    ({"r": 1, "selection": "uniform"}, [0.70]),
)


def test_both_selections_are_compared_over_their_seeds_and_share_r_0() -> None:
    found = selection.info(RECORD)
    assert found.fixed is not None
    assert found.fixed.mean == pytest.approx(0.51)
    half, whole = found.at
    assert half.gain is not None
    assert half.gain.difference == pytest.approx(0.02)
    assert half.p_holm == pytest.approx(1 - math.sqrt(12 / 14))  # t = √12, 2 df
    assert set(whole.by) == {"uniform"}
    assert whole.gain is None


def test_the_lines_begin_at_the_point_that_they_share() -> None:
    band, uniform, _, cosine, shared = figure_of(selection.blocks(RECORD, {})).data
    assert list(uniform.x) == [0, 0.5, 1]
    assert list(uniform.y) == pytest.approx([0.51, 0.62, 0.70])
    assert list(cosine.x) == [0, 0.5]
    assert list(cosine.y) == pytest.approx([0.51, 0.60])
    assert list(band.y)[1] == pytest.approx(0.64)  # mean + std
    assert list(band.y)[-2] == pytest.approx(0.60)  # mean - std
    assert [trace.name for trace in (uniform, cosine, shared)] == [
        "uniform (n = 1 to 3)",
        "cosine (n = 3)",
        "r = 0, nothing to select (n = 2)",
    ]


def test_the_table_has_the_same_numbers() -> None:
    page = selection.blocks(RECORD, {})
    assert table_of(page) == [
        ["0", "0.5100 ± 0.0141", "2", "0.5100 ± 0.0141", "2", "–", "–"],
        ["0.5", "0.6200 ± 0.0200", "3", "0.6000 ± 0.0100", "3", "+0.0200", "0.074"],
        ["1", "0.7000", "1", "", "0", "–", "–"],
    ]
    assert "ahead of cosine at 1 of 1 values of r; no difference is shown." in texts(page)


def test_a_significant_difference_matters() -> None:
    record = configurations(
        ({"r": 1, "selection": "uniform"}, [0.60, 0.62, 0.641]),
        ({"r": 1, "selection": "cosine"}, [0.50, 0.521, 0.54]),
    )
    assert "significantly better at r = 1: randomness matters" in texts(
        selection.blocks(record, {})
    )


def test_one_selection_alone_is_not_compared() -> None:
    page = selection.blocks(configurations(({"r": 1}, [0.5])), {})
    assert "celeba_selection" in texts(page)
    assert len(page) == 1
