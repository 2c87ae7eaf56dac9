from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from dashboards.blocks import Figure, Table
from dashboards.views import attributes
from mrtune.study import Objective, StudyRecord, TrialRecord
from tests.dashboards.views.made import figure_of, strong, table_of, texts
from tests.study.made import study, trial


def trials_of(
    first: int, params: Mapping[str, Any], seeds: Sequence[Mapping[str, float]], **more: Any
) -> list[TrialRecord]:
    return [
        trial(
            first + seed,
            "complete",
            sum(metrics.values()),
            params=params,
            setting=params,
            config=first,
            seed=seed,
            metrics=metrics,
            **more,
        )
        for seed, metrics in enumerate(seeds)
    ]


def made(*groups: Sequence[TrialRecord], **more: Any) -> StudyRecord:
    objectives = (Objective("f_score", "maximize"),)
    return study(*(t for group in groups for t in group), objectives=objectives, **more)


TWO = made(
    trials_of(0, {"method": "mr"}, [{"f/Hat": 0.6, "f/Bald": 0.5}, {"f/Hat": 0.8, "f/Bald": 0.5}]),
    trials_of(
        2, {"method": "mtl"}, [{"f/Hat": 0.5, "f/Bald": 0.55}, {"f/Hat": 0.5, "f/Bald": 0.53}]
    ),
    trials_of(4, {"method": "tr"}, [{"f/Hat": 0.52, "f/Bald": 0.51}]),
)


def test_tasks_are_sorted_by_what_the_best_method_gains_over_mtl() -> None:
    found = attributes.info(TWO)
    assert [c.label for c in found.contenders] == ["MTL", "MR", "TR"]
    assert [(row.task, row.gain) for row in found.rows] == [
        ("Hat", pytest.approx(0.2)),
        ("Bald", pytest.approx(-0.04)),
    ]
    # Differences 0.1 and 0.3 (t = 2), −0.05 and −0.03 (t = −4), one degree of freedom, Holm.
    assert [row.p_holm for row in found.rows] == pytest.approx([0.3119, 0.3119], abs=1e-4)


@pytest.mark.parametrize(
    ("scores", "compared"),
    [
        ({"stl": 0.9, "se": 0.7, "mr": 0.6, "mtl": 0.5}, ["MTL", "MR"]),
        ({"stl": 0.9, "se": 0.7, "tr": 0.6, "mtl": 0.5}, ["MTL", "SE-MTL"]),
        ({"stl": 0.9, "mtl": 0.5}, ["MTL", "STL"]),
        ({"mr": 0.5, "se": 0.7, "tr": 0.6}, ["TR", "MR"]),
    ],
)
def test_the_subject_is_mr_or_the_best_method_that_takes_a_rank(
    scores: Mapping[str, float], compared: Sequence[str]
) -> None:
    groups = [
        trials_of(n, {"method": method}, [{"f/Hat": score}])
        for n, (method, score) in enumerate(scores.items())
    ]
    found = attributes.info(made(*groups))
    assert [contender.label for contender in found.contenders[:2]] == compared


def test_the_page_says_who_gains_and_the_table_has_the_same_numbers() -> None:
    page = attributes.blocks(TWO, {})
    assert "MR is better than MTL on 1 of 2 tasks: most on Hat (+0.2000)" in texts(page)
    assert [row[:4] for row in table_of(page)] == [
        ["Hat", "0.5000 ± 0.0000", "0.7000 ± 0.1414", "0.5200"],
        ["Bald", "0.5400 ± 0.0141", "0.5000 ± 0.0000", "0.5100"],
    ]
    assert strong(page) == ["0.7000 ± 0.1414", "0.5400 ± 0.0141"]


def test_the_dots_of_a_task_are_joined_as_a_gain_or_a_loss() -> None:
    gain, loss, *dots = figure_of(attributes.blocks(TWO, {})).data
    assert list(gain.x) == [pytest.approx(0.5), pytest.approx(0.7), None]
    assert list(loss.x) == [pytest.approx(0.54), pytest.approx(0.5), None]
    assert [trace.name for trace in dots] == ["TR", "MTL", "MR"]
    assert list(dots[-1].x) == pytest.approx([0.7, 0.5])


def test_with_one_method_the_best_is_compared_with_the_default() -> None:
    record = made(
        trials_of(0, {"p": 0.5}, [{"f/Hat": 0.5}], default=True),
        trials_of(1, {"p": 0.7}, [{"f/Hat": 0.6}]),
    )
    found = attributes.info(record)
    assert [c.label for c in found.contenders] == ["default (trial 0)", "best (trial 1)"]
    assert found.rows[0].gain == pytest.approx(0.1)
    assert "no difference can be tested" in attributes.verdict(found)


def test_a_gain_is_of_the_seeds_in_common() -> None:
    easy, hard = {"f/Hat": 0.9}, {"f/Hat": 0.5}
    more = {"f/Hat": 0.6}
    both = trials_of(0, {"method": "mr"}, [more, hard]), trials_of(2, {"method": "mtl"}, [hard])
    (row,) = attributes.info(made(*both)).rows
    assert row.gain == pytest.approx(0.1)
    _, second = trials_of(4, {"method": "mr"}, [hard, easy])
    apart = made([second], trials_of(6, {"method": "mtl"}, [hard]))
    assert texts(attributes.blocks(apart, {})).startswith("MR and MTL have no seed in common")


def test_a_configuration_alone_is_sorted_by_score() -> None:
    record = made(trials_of(0, {}, [{"f/Hat": 0.5, "f/Bald": 0.6, "f/Young": 0.4}]))
    page = attributes.blocks(record, {})
    assert [row[0] for row in table_of(page)] == ["Bald", "Hat", "Young"]
    assert "is alone" in texts(page)


def test_many_tasks_are_two_closed_radars_at_scales_that_fit() -> None:
    scores = {f"f/A{n:02}": 0.3 + n / 100 for n in range(40)}
    record = made(trials_of(0, {"method": "mtl"}, [scores]))
    radars = [b.figure for b in attributes.blocks(record, {}) if isinstance(b, Figure)][1:]
    assert len(radars) == 2
    for radar, low, high in zip(radars, (0.5, 0.3), (0.69, 0.49), strict=True):
        (polygon,) = radar.data
        assert len(polygon.theta) == 21
        assert polygon.theta[0] == polygon.theta[-1]
        assert polygon.r[0] == polygon.r[-1] == pytest.approx(high)
        begin, end = radar.layout.polar.radialaxis.range
        assert low - 0.05 < begin < low
        assert high < end < high + 0.05


def test_two_tasks_make_no_polygon() -> None:
    figures = [block for block in attributes.blocks(TWO, {}) if isinstance(block, Figure)]
    assert [block.name for block in figures] == ["attributes"]


def test_scenes_are_compared_by_the_iou_of_their_classes() -> None:
    metrics = {"iou/bed": 0.3, "iou/sofa": 0.2, "iou/tv": 0.1, "depth_abs_error": 0.6}
    page = attributes.blocks(made(trials_of(0, {}, [metrics]), workload="nyuv2"), {})
    assert [row[0] for row in table_of(page)] == ["bed", "sofa", "tv"]
    assert figure_of(page).layout.xaxis.title.text == "IoU"
    assert "see Benchmark" in texts(page)


def test_the_split_is_chosen_by_the_address() -> None:
    record = made(trials_of(0, {}, [{"f/Hat": 0.5, "val/f/Hat": 0.4}]))
    assert table_of(attributes.blocks(record, {"split": "val"}))[0][1] == "0.4000"
    assert table_of(attributes.blocks(record, {"split": "x"}))[0][1] == "0.5000"


def test_an_attribute_without_labels_comes_last_and_has_no_dot() -> None:
    nan = float("nan")
    record = made(
        trials_of(0, {"method": "mtl"}, [{"f/Hat": 0.5, "f/Bald": nan}]),
        trials_of(1, {"method": "mr"}, [{"f/Hat": 0.4, "f/Bald": nan}]),
    )
    page = attributes.blocks(record, {})
    assert [row[0] for row in table_of(page)] == ["Hat", "Bald"]
    assert table_of(page)[1][1:] == ["–", "–", "–", "–"]


def test_names_of_tasks_are_no_markup() -> None:
    page = attributes.blocks(made(trials_of(0, {}, [{"f/<b>_x": 0.5}])), {})
    assert list(figure_of(page).layout.yaxis.ticktext) == ["&lt;b&gt; x"]
    assert any(isinstance(block, Table) for block in page)
