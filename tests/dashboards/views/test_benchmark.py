from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from dashboards.blocks import Choice, Heading, Row
from dashboards.views import benchmark
from mrtune.study import Objective, StudyRecord, TrialRecord
from tests.dashboards.views import reading
from tests.dashboards.views.made import figure_of, strong, table_of, texts
from tests.study.made import study, trial

METRICS = ("precision", "recall", "f_score")
# Of two seeds each: precision, recall, F-score.
SCORES = {
    "stl": [(0.90, 0.90, 0.90), (0.90, 0.90, 0.90)],
    "mtl": [(0.60, 0.50, 0.54), (0.62, 0.52, 0.56)],
    "se": [(0.64, 0.50, 0.58), (0.64, 0.50, 0.58)],
    "mr": [(0.70, 0.49, 0.60), (0.70, 0.49, 0.62)],
}
SIZES = {"stl": 790, "mtl": 100, "se": 113, "mr": 100}


def trials_of(method: str, first: int, **params: Any) -> list[TrialRecord]:
    return [
        _trial(first + seed, first, seed, {"method": method, **params}, scores)
        for seed, scores in enumerate(SCORES[method])
    ]


def _trial(
    number: int, config: int, seed: int, params: Mapping[str, Any], scores: tuple[float, ...]
) -> TrialRecord:
    metrics = dict(zip(METRICS, scores, strict=True))
    val = {f"val/{name}": value - 0.1 for name, value in metrics.items()}
    known = {"params": params, "setting": params, "config": config, "seed": seed}
    network = {"parameters": SIZES[params["method"]]}
    return trial(number, "complete", scores[-1], metrics=metrics | val, network=network, **known)


def made(*methods: str, workload: str = "celeba") -> StudyRecord:
    trials = [t for n, method in enumerate(methods) for t in trials_of(method, 2 * n)]
    return study(*trials, workload=workload, objectives=(Objective("f_score", "maximize"),))


ALL = made("mr", "stl", "se", "mtl")


def test_methods_are_summarised_in_percent_in_the_order_of_the_paper() -> None:
    found = benchmark.info(ALL)
    assert [row.method for row in found.rows] == ["stl", "mtl", "se", "mr"]
    mtl = found.rows[1]
    assert mtl.texts == {
        "precision": "61.00 ± 1.41",
        "recall": "51.00 ± 1.41",
        "f_score": "55.00 ± 1.41",
    }
    assert mtl.n == 2


def test_ranks_leave_single_task_networks_out() -> None:
    ranks = {row.method: row.rank for row in benchmark.info(ALL).rows}
    assert ranks["mtl"] == pytest.approx((3 + 1 + 3) / 3)
    assert ranks["se"] == pytest.approx((2 + 2 + 2) / 3)
    assert ranks["mr"] == pytest.approx((1 + 3 + 1) / 3)
    assert benchmark.info(ALL).rows[0].rank_text == "–"


def test_sizes_are_relative_to_mtl_or_to_what_is_as_large() -> None:
    assert [row.size for row in benchmark.info(ALL).rows] == ["7.9", "1.0", "1.1", "1.0"]
    without = benchmark.info(made("se", "mr"))
    assert {row.method: row.size for row in without.rows} == {"se": "1.1", "mr": "1.0"}
    assert [row.size for row in benchmark.info(made("se")).rows] == ["–"]


def test_the_validation_split_is_a_choice_and_a_wrong_one_falls_back() -> None:
    page = benchmark.blocks(ALL, {"split": "val"})
    (choice,) = next(block.items for block in page if isinstance(block, Row))
    assert isinstance(choice, Choice)
    assert choice.value == "val"
    assert table_of(page)[2][4] == "51.00 ± 1.41"
    assert table_of(benchmark.blocks(ALL, {"split": "moon"}))[2][4] == "61.00 ± 1.41"


def test_the_papers_row_stands_below_ours_and_the_best_of_each_is_strong() -> None:
    page = benchmark.blocks(ALL, {})
    rows = table_of(page)
    assert rows[2][:4] == ["MTL", "this study", "2", "1.0"]
    assert rows[3] == [
        *("MTL", "the paper", "5", "1.0"),
        *("68.67 ± 0.69", "59.54 ± 0.52", "62.95 ± 0.21", "5.33"),
    ]
    ours = ["70.00 ± 0.00", "51.00 ± 1.41", "61.00 ± 1.41", "1.67"]
    papers = ["71.71 ± 0.06", "63.04 ± 0.56", "66.23 ± 0.20", "1.33"]
    assert sorted(strong(page)) == sorted(ours + papers)
    assert "F-Score is f_score" in texts(page)
    assert "First of 3 by average rank over 3 metrics: MR, 1.67." in texts(page)


def test_what_mr_gains_is_tested_over_each_method() -> None:
    scores = {"stl": (0.9, 0.9, 0.9), "mtl": (0.5, 0.52, 0.54), "mr": (0.60, 0.62, 0.641)}
    trials = [
        trial(
            3 * n + seed,
            "complete",
            value,
            params={"method": method},
            metrics={"f_score": value, "val/f_score": value - seed / 10},
            config=3 * n,
            seed=seed,
        )
        for n, (method, values) in enumerate(scores.items())
        for seed, value in enumerate(values)
    ]
    record = study(*trials, objectives=(Objective("f_score", "maximize"),))
    page = benchmark.blocks(record, {})
    heads = [block.text for block in page if isinstance(block, Heading)]
    assert heads[-1] == "What MR gains over each method"
    stl, mtl = reading.table(page, "gains")
    assert mtl[:2] == ["MTL", "+10.03"]
    assert mtl[3] == "3"
    assert stl[:2] == ["STL", "−27.97"]
    assert "By F-score, MR is ahead of MTL and behind STL beyond chance." in texts(page)
    assert reading.table(benchmark.blocks(record, {"split": "val"}), "gains")[1] == mtl
    less = replace(record, objectives=(Objective("f_score", "minimize"),))
    assert reading.table(benchmark.blocks(less, {}), "gains")[1][1] == "−10.03"


def test_without_mr_the_first_by_rank_is_tested() -> None:
    page = benchmark.blocks(made("mtl", "se", "stl"), {})
    assert [row[0] for row in reading.table(page, "gains")] == ["STL", "MTL"]
    assert "SE-MTL is behind STL beyond chance." in texts(page)
    alone = texts(benchmark.blocks(made("mtl", "se"), {}))
    assert "SE-MTL is neither ahead of nor behind any beyond chance." in alone
    assert reading.tables(benchmark.blocks(made("mr"), {})) == ["benchmark"]


def test_a_workload_of_ones_own_has_its_objective_and_no_paper() -> None:
    params = {"method": "mtl"}
    record = study(
        trial(0, "complete", 0.25, params=params, metrics={"loss<b>": 0.25}),
        workload="mine.py",
        objectives=(Objective("loss<b>", "minimize"),),
    )
    page = benchmark.blocks(record, {})
    assert table_of(page) == [["MTL", "1", "–", "0.2500", "1.00"]]
    assert "loss&lt;b&gt;<br> ↓" in figure_of(page).layout.annotations[0].text


def test_the_best_configuration_of_a_method_is_shown_with_its_p() -> None:
    worse = [_trial(2 + s, 2, s, {"method": "mr", "p": 0.2}, (0.1, 0.1, 0.1)) for s in (0, 1)]
    record = study(
        *trials_of("mr", 0, p=0.75),
        *worse,
        workload="fashion",
        objectives=(Objective("f_score", "maximize"),),
    )
    page = benchmark.blocks(record, {})
    assert [row[0] for row in table_of(page)] == ["MR (p = 0.75)"]
    assert "the only method" in texts(page)
    assert "configurations tried: MR 2" in texts(page)


def test_nyuv2_is_shown_in_the_units_of_the_paper() -> None:
    metrics = {"miou": 0.174, "depth_abs_error": 0.6082, "normals_mean_angle": 30.58}
    record = study(
        trial(0, "complete", 0.174, params={"method": "mr"}, metrics=metrics),
        workload="nyuv2",
        objectives=(Objective("miou", "maximize"),),
    )
    ours = benchmark.info(record).rows[0]
    assert ours.texts == {
        "miou": "17.40",
        "depth_abs_error": "60.82",
        "normals_mean_angle": "30.58",
    }
    assert "Depth, absolute error (×100) ↓" in [
        benchmark.heading(metric, benchmark.info(record)) for metric in ours.texts
    ]


def test_the_figure_has_a_panel_for_each_metric_with_ours_and_the_papers() -> None:
    drawn = figure_of(benchmark.blocks(ALL, {}))
    assert [(trace.name, trace.showlegend) for trace in drawn.data] == [
        ("this study", True),
        ("the paper", True),
        *[("this study", False), ("the paper", False)] * 2,
    ]
    assert list(drawn.data[0].x) == pytest.approx([90, 61, 64, 70])
    assert list(drawn.data[1].x) == pytest.approx([67.10, 68.67, 71.10, 71.24])
    assert list(drawn.layout.yaxis.ticktext) == ["STL", "MTL", "SE-MTL", "MR"]


def test_a_metric_that_only_some_methods_report_ranks_the_others_last() -> None:
    record = study(
        trial(0, "complete", 0.5, params={"method": "mtl"}, metrics={"f_score": 0.5, "recall": 1}),
        trial(1, "complete", 0.6, params={"method": "mr"}, metrics={"f_score": 0.6}),
        objectives=(Objective("f_score", "maximize"),),
    )
    page = benchmark.blocks(record, {})
    assert table_of(page)[1][3:] == ["–", "60.00", "1.50"]


def test_the_latex_table_has_its_columns_and_underlines_the_best() -> None:
    lines = benchmark.to_tex(benchmark.info(ALL)).splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrrr}"
    assert {line.count(" & ") for line in lines if line.endswith(r"\\")} == {5}
    assert (
        r"  MR & 1.0 & \underline{70.00 $\pm$ 0.00} & 49.00 $\pm$ 0.00 & "
        r"\underline{61.00 $\pm$ 1.41} & \underline{1.67} \\"
    ) in lines
    assert (
        r"  TR (p = 0.9) (paper) & 1.0 & \underline{71.71 $\pm$ 0.06} & 61.75 $\pm$ 0.47 & "
        r"65.51 $\pm$ 0.32 & 2.33 \\"
    ) in lines
    assert lines.count(r"  \midrule") == 4


def test_the_latex_table_of_a_strange_name_is_balanced() -> None:
    params = {"method": r"\evil{ & _%"}
    record = study(
        trial(0, "complete", 0.5, params=params, metrics={"a_b": 0.5}),
        objectives=(Objective("a_b", "maximize"),),
    )
    text = benchmark.to_tex(benchmark.info(record))
    assert r"\textbackslash{}evil\{ \& \_\% & -- & \underline{0.5000}" in text
    assert r"a\_b ($\uparrow$)" in text
