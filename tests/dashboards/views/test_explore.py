from typing import Any

import numpy as np
import pytest

from dashboards.views import explore
from mrtune.study import Objective, StudyRecord
from mrtune.study.dimensions import dimensions
from tests.dashboards.views.reading import controls, figures, rows, table, tables, words
from tests.study.made import study, trial

SPACE = {
    "budget": {"epochs": 8},
    "params": {
        "method": ["mr", "tr"],
        "p": {"low": 0.0, "high": 1.0},
        "lr": {"low": 1e-4, "high": 1e-2, "log": True},
    },
}


def few(**more: Any) -> StudyRecord:
    return study(
        trial(0, "complete", 0.5, params={"method": "mr", "p": 0.5, "lr": 1e-3}),
        trial(1, "complete", 0.9, params={"method": "tr", "lr": 1e-4}),
        trial(
            2,
            "pruned",
            params={"method": "mr", "p": 1.0, "lr": 1e-2},
            curves={"epoch": [2.0], "f": [0.3]},
        ),
        trial(3, "fail", params={"method": "mr", "p": 0.1, "lr": 1e-2}),
        space=SPACE,
        **more,
    )


def many(count: int) -> StudyRecord:
    """The objective is p; lr has every decade."""
    chance = np.random.default_rng(0)
    return study(
        *(
            trial(i, "complete", p, params={"method": "mr", "p": p, "lr": 10.0 ** -(2 + i % 3)})
            for i, p in enumerate(chance.random(count).tolist())
        ),
        space=SPACE,
    )


def test_lines_cross_axes_where_their_values_are() -> None:
    record = few()
    found = explore.info(record, dimensions(record)).parallel
    assert [axis.dimension.name for axis in found.axes] == ["method", "p", "lr", "f"]
    assert [line.number for line in found.lines] == [1, 0, 2]
    best, second, _ = (line.places for line in found.lines)
    assert best[0] == pytest.approx(1.0, abs=0.02)
    assert best[1:] == (None, 0.0, 1.0)
    assert second[0] == pytest.approx(0.0, abs=0.02)
    assert second[1:3] == (0.5, pytest.approx(0.5))


def test_parallel_lines_are_few_traces_however_many_trials() -> None:
    drawn = figures(explore.blocks(many(300), {"k": "200"}))["parallel"]
    lines = [trace for trace in drawn.data if trace.hovertemplate]
    assert len(lines) <= 8
    assert sum(trace.x.count(None) for trace in lines) == 200
    assert {trace.type for trace in drawn.data} == {"scatter"}


@pytest.mark.parametrize(("direction", "last"), [("maximize", 1), ("minimize", 2)])
def test_the_best_line_is_on_top(direction: Any, last: int) -> None:
    record = few(objectives=(Objective("f", direction),))
    drawn = figures(explore.blocks(record, {}))["parallel"]
    lines = [trace for trace in drawn.data if trace.hovertemplate]
    assert [text for text in lines[-1].text if text][-1].startswith(f"trial {last}: ")
    assert len({trace.line.color for trace in lines}) == 3


def test_the_table_lists_finished_trials_the_best_first() -> None:
    page = explore.blocks(few(), {})
    assert table(page, "trials") == [
        ["1", "● complete", "0", "0.9", "tr", "0.0001", ""],
        ["0", "● complete", "0", "0.5", "mr", "0.001", "0.5"],
        ["2", "✂ pruned", "2", "0.3", "mr", "0.01", "1"],
    ]
    assert rows(page, "trials")[0][0].link == "/study/s/trial?trial=1"
    assert rows(page, "trials")[0][3].strong


def test_conditions_hold_for_all_that_is_shown() -> None:
    page = explore.blocks(few(), {"where": "p>=0.5, method=mr"})
    assert [row[0] for row in table(page, "trials")] == ["0", "2"]
    slices = figures(page)["slices"]
    assert sorted(n for trace in slices.data[:2] for n in trace.customdata) == [0, 2]
    assert "None of 3 finished trials" in words(explore.blocks(few(), {"where": "p>7"}))


def test_a_bad_condition_is_a_warning_that_names_the_rule() -> None:
    page = explore.blocks(few(), {"where": "q>0.5"})
    assert "unknown name 'q'" in words(page, "warning")
    assert len(table(page, "trials")) == 3


def test_importance_says_what_it_is_of() -> None:
    page = explore.blocks(many(60), {})
    (bars,) = figures(page)["importance"].data
    assert bars.y[-1] == "p"
    assert "60 complete trials" in words(page)
    assert "early stopping avoids" not in words(page)
    assert "needs 20 complete trials; there are 2" in words(explore.blocks(few(), {}))


def test_importance_says_what_pruning_does_to_it() -> None:
    record = many(60)
    stopped = trial(60, "pruned", params={"method": "mr", "p": 0.1, "lr": 1e-3})
    both = study(*record.trials, stopped, space=SPACE)
    assert "early stopping avoids" in words(explore.blocks(both, {}))


def test_slices_have_the_scale_of_their_parameter() -> None:
    drawn = figures(explore.blocks(few(), {}))["slices"]
    kinds = [drawn.layout[f"xaxis{n}"].type for n in ("", 2, 3)]
    assert kinds == ["category", "linear", "log"]
    assert [drawn.layout[f"xaxis{n}"].title.text for n in ("", 2, 3)] == ["method", "p", "lr (log)"]


def test_two_parameters_can_be_chosen_and_show_trials_that_have_both() -> None:
    page = explore.blocks(few(), {"x": "p", "y": "lr"})
    pruned, complete = figures(page)["pair"].data
    assert list(complete.customdata) == [0]
    assert list(pruned.customdata) == [2]
    assert (controls(page)["x"].value, controls(page)["y"].value) == ("p", "lr")
    other = explore.blocks(few(), {"x": "nonsense", "y": "nonsense"})
    assert (controls(other)["x"].value, controls(other)["y"].value) == ("method", "p")


def test_very_many_points_are_averaged_over_cells_and_empty_cells_stay_empty() -> None:
    record = many(2000)
    found = explore.info(record, dimensions(record), x="p", y="lr").pair
    assert found is not None
    assert found.cells is not None
    _, _, means, counts = found.cells
    assert counts.sum() == 2000
    assert np.isnan(means[counts == 0]).all()
    filled = np.flatnonzero(counts.any(axis=1))
    assert filled.tolist() == [0, 7, 13]  # three decades are three rows
    centres = (np.arange(14) + 0.5) / 14
    np.testing.assert_allclose(means[7], centres, atol=1 / 28)  # the objective is p


def test_the_front_of_two_objectives_is_what_nothing_beats() -> None:
    values = [(0.9, 5.0), (0.8, 3.0), (0.7, 4.0), (0.6, 1.0), (0.6, 2.0)]
    record = study(
        *(
            trial(i, "complete", None, values=v, params={"p": 0.1 * i})
            for i, v in enumerate(values)
        ),
        objectives=(Objective("f", "maximize"), Objective("cost", "minimize")),
    )
    page = explore.blocks(record, {})
    assert [row[:3] for row in table(page, "front")] == [
        ["0", "0.9", "5"],
        ["1", "0.8", "3"],
        ["3", "0.6", "1"],
    ]
    beaten, front = figures(page)["pareto"].data
    assert sorted(beaten.customdata) == [2, 4]
    assert front.line.shape == "hv"  # at less f than the next one has, the next one's cost
    assert "front" not in tables(explore.blocks(few(), {}))
