"""What every page about the paper's experiments does with studies that have little to show."""

import json
from types import ModuleType
from typing import Any

import pytest

from dashboards.blocks import Figure, Heading, Table, Text
from dashboards.views import attributes, benchmark, delta_r, roaming_p, seeds, selection
from mrtune.study import StudyRecord
from tests.dashboards.views.made import configurations, texts
from tests.study.made import study, trial

VIEWS = [roaming_p, delta_r, selection, benchmark, attributes, seeds]
DRAWN_WITHOUT_WEBGL = {"bar", "scatter", "heatmap", "scatterpolar"}
MARKUP = "<b>x</b>"
METRICS: dict[str, Any] = {"f": 0.5, "f_score": 0.5} | {f"f/{n}{MARKUP}": n / 9 for n in range(9)}


def rich() -> StudyRecord:
    """Make a study that every page has something to say about."""
    params = [
        {"method": method, "p": 0.5, "delta": delta, "r": r, "selection": rule, MARKUP: MARKUP}
        for method, r, delta, rule in (
            ("mr", 1, 0.1, "uniform"),
            ("mr", 1, 0.1, "cosine"),
            ("mr", 0.5, 0.2, "cosine"),
            ("mr", 0, None, "uniform"),
            ("tr", None, None, None),
            (MARKUP, None, None, None),
        )
    ]
    trials = [
        trial(
            2 * config + seed,
            "complete",
            0.5 + config / 50 + seed / 100,
            params=of_config,
            setting=of_config,
            config=2 * config,
            seed=seed,
            metrics=METRICS,
        )
        for config, of_config in enumerate(params)
        for seed in (0, 1)
    ]
    return study(*trials)


@pytest.mark.parametrize("view", VIEWS)
def test_a_study_without_a_complete_trial_has_one_note(view: ModuleType) -> None:
    failed = study(trial(0, "fail"), trial(1, "fail"), trial(2, "running"))
    for record, said in ((study(), "none has begun"), (failed, "✗ 2 fail")):
        (note,) = view.blocks(record, {})
        assert note.kind == "note"
        assert said in note.text


@pytest.mark.parametrize("view", VIEWS)
def test_a_study_that_lacks_what_the_page_needs_is_told_so(view: ModuleType) -> None:
    page = view.blocks(configurations(({"method": "mtl", "lr": 0.1}, [0.5])), {})
    assert view.NEEDS in texts(page)
    assert not any(isinstance(block, Figure | Table) for block in page)


@pytest.mark.parametrize("view", VIEWS)
def test_every_figure_has_a_table_and_is_drawn_without_webgl(view: ModuleType) -> None:
    page = view.blocks(rich(), {"split": MARKUP, "clock": MARKUP})
    figures = [block for block in page if isinstance(block, Figure)]
    assert figures
    assert any(isinstance(block, Table) and block.rows for block in page)
    assert all(block.about for block in figures)
    assert len({block.name for block in figures}) == len(figures)
    for block in figures:
        assert {trace.type for trace in block.figure.data} <= DRAWN_WITHOUT_WEBGL
        assert MARKUP not in block.figure.to_json()


@pytest.mark.parametrize("view", VIEWS)
def test_rows_are_as_long_as_the_table_is_wide(view: ModuleType) -> None:
    for block in view.blocks(rich(), {}):
        if isinstance(block, Table):
            assert {len(row) for row in block.rows} == {len(block.columns)}


@pytest.mark.parametrize("view", VIEWS)
def test_one_complete_trial_has_a_page(view: ModuleType) -> None:
    params = {"method": "mr", "p": 0.5, "delta": 0.1, "r": 1.0}
    record = study(trial(0, "complete", 0.5, params=params, setting=params, metrics=METRICS))
    assert any(isinstance(block, Text | Heading) for block in view.blocks(record, {}))


@pytest.mark.parametrize("view", VIEWS)
def test_a_value_that_is_no_number_does_not_break_a_page(view: ModuleType) -> None:
    record = rich()
    broken = trial(99, "complete", float("nan"), params=record.trials[0].params, config=0, seed=7)
    page = view.blocks(study(*record.trials, broken), {})
    assert all(block.figure.to_json() for block in page if isinstance(block, Figure))
    tables = [block for block in page if isinstance(block, Table)]
    sorts = [cell.sort for table in tables for row in table.rows for cell in row]
    json.dumps(sorts, allow_nan=False)
