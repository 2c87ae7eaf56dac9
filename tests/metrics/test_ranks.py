import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from mrtune.errors import ParameterError
from mrtune.metrics import average_rank, delta_m, sign
from mrtune.metrics.ranks import ranks

NAN = math.nan


@given(st.lists(st.integers(-3, 3) | st.floats(allow_nan=False), max_size=12))
def test_scipy_agrees_on_ranks(values: list[float]) -> None:
    assert ranks(values) == list(rankdata(values))


def test_a_missing_or_diverged_value_ranks_last() -> None:
    scores = {"a": {"miou": NAN}, "b": {"miou": -math.inf}, "c": {}, "d": {"miou": 0.5}}
    assert average_rank(scores, ["miou"]) == {"a": 3.5, "b": 2.0, "c": 3.5, "d": 1.0}
    scores = {"a": {"depth_abs_error": NAN}, "b": {"depth_abs_error": 9.0}}
    assert average_rank(scores, ["depth_abs_error"]) == {"a": 2.0, "b": 1.0}


def test_who_is_excluded_takes_no_place() -> None:
    scores = {"stl": {"f_score": 0.9}, "mtl": {"f_score": 0.5}, "mr": {"f_score": 0.6}}
    assert average_rank(scores, ["f_score"]) == {"mtl": 2.0, "mr": 1.0}
    assert average_rank(scores, ["f_score"], exclude=())["stl"] == 1.0


def test_no_metrics_and_no_methods_are_no_failure() -> None:
    assert average_rank({}, ["f_score"]) == {}
    assert math.isnan(average_rank({"mtl": {}}, [])["mtl"])


def test_a_metric_without_a_direction_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"metric must be one of loss, .*, got 'speed'"):
        average_rank({"mtl": {"speed": 1.0}}, ["speed"])
    assert average_rank({"mtl": {"speed": 1.0}}, ["speed"], directions={"speed": "maximize"})


def test_an_attribute_goes_the_way_of_its_metric() -> None:
    assert (sign("f/Male"), sign("iou/bed"), sign("depth_abs_error")) == (1, 1, -1)


def test_delta_m_by_hand() -> None:
    """IoU 0.5 → 0.6 is +20 %; accuracy unchanged; depth 2 → 1 is +50 %, 10 → 11 is −10 %."""
    before = {"miou": 0.5, "pixel_accuracy": 0.9, "depth_abs_error": 2.0, "depth_rel_error": 10.0}
    after = {"miou": 0.6, "pixel_accuracy": 0.9, "depth_abs_error": 1.0, "depth_rel_error": 11.0}
    tasks = [["miou", "pixel_accuracy"], ["depth_abs_error", "depth_rel_error"]]
    assert delta_m(after, before, tasks) == pytest.approx((10 + 20) / 2)
    assert delta_m(after, before, [["miou"], ["depth_abs_error"]]) == pytest.approx(35)
    assert delta_m(before, before, tasks) == 0


def test_delta_m_weighs_tasks_and_not_metrics() -> None:
    before = {"miou": 1.0, "depth_abs_error": 1.0, "depth_rel_error": 1.0}
    after = {"miou": 1.3, "depth_abs_error": 1.0, "depth_rel_error": 1.0}
    tasks = [["miou"], ["depth_abs_error", "depth_rel_error"]]
    assert delta_m(after, before, tasks) == pytest.approx(15)


@pytest.mark.parametrize(
    ("after", "before", "tasks"),
    [
        ({"miou": 0.5}, {"miou": 0.0}, [["miou"]]),
        ({"miou": NAN}, {"miou": 0.5}, [["miou"]]),
        ({}, {"miou": 0.5}, [["miou"]]),
        ({"miou": 0.5}, {"miou": 0.5}, []),
        ({"miou": 0.5}, {"miou": 0.5}, [[]]),
    ],
)
def test_delta_m_without_an_answer_is_nan(
    after: dict[str, float], before: dict[str, float], tasks: list[list[str]]
) -> None:
    assert math.isnan(delta_m(after, before, tasks))
