from datetime import datetime, timedelta

import pytest

from dashboards.blocks import Facts, Figure, Text
from dashboards.views import overview
from mrtune.study import TrialRecord
from tests.study.made import study, trial

BEGAN = datetime(2026, 1, 1, 12)


def ended(number: int, state: str, value: float | None, hours: float, epoch: float) -> TrialRecord:
    curves = {"epoch": [epoch], "f": [value]} if value is not None else {}
    moments = {"started": BEGAN, "ended": BEGAN + timedelta(hours=hours)}
    return trial(number, state, value, curves=curves, **moments)


def test_the_best_so_far_is_a_step_for_each_gain_of_a_complete_trial() -> None:
    record = study(
        ended(0, "complete", 0.5, 1, 8),
        ended(1, "complete", 0.7, 3, 8),
        ended(2, "complete", 0.6, 2, 8),
        ended(3, "pruned", 0.9, 2.5, 2),
        ended(4, "fail", None, 4, 0),
    )
    found = overview.info(record)
    assert found.best == ((1.0, 0.5), (2.0, 0.6), (3.0, 0.7))
    assert [point.number for point in found.points] == [0, 2, 3, 1]
    assert found.epochs_used == 26
    assert found.epochs_full == 5 * 8


def test_the_page_says_what_was_saved_and_draws_each_state() -> None:
    record = study(ended(0, "complete", 0.5, 1, 8), ended(1, "pruned", 0.4, 2, 2))
    page = overview.blocks(record, {})
    facts = next(block.facts for block in page if isinstance(block, Facts))
    assert facts["saved by stopping early"] == "38% of 16 epochs"
    drawn = next(block.figure for block in page if isinstance(block, Figure))
    assert [trace.name for trace in drawn.data] == ["complete", "pruned", "best so far"]
    assert list(drawn.data[0].y) == pytest.approx([0.5])


def test_an_empty_study_has_a_page() -> None:
    page = overview.blocks(study(), {})
    assert any(isinstance(block, Text) and "complete yet" in block.text for block in page)


def test_of_very_many_trials_some_are_drawn_and_the_page_says_so() -> None:
    record = study(*(ended(i, "pruned", 0.5, 1 + i / 100, 1) for i in range(2500)))
    page = overview.blocks(record, {})
    drawn = next(block.figure for block in page if isinstance(block, Figure))
    numbers = [number for number, _ in drawn.data[0].customdata]
    assert len(numbers) == overview.MOST_POINTS
    assert numbers[:4] == [0, 2, 5, 7]
    assert any(isinstance(block, Text) and "1,000 points" in block.text for block in page)
