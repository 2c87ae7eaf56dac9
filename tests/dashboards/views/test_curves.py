from typing import Any

import numpy as np
import pytest

from dashboards.views import curves
from mrtune.study import StudyRecord, TrialRecord
from tests.dashboards.views.reading import controls, figures, table, words
from tests.study.made import study, trial


def ran(number: int, state: str, *values: float | None, **more: Any) -> TrialRecord:
    reported = {"epoch": [1.0 * i for i in range(1, len(values) + 1)], "f": list(values), **more}
    return trial(number, state, values[-1] if state == "complete" else None, curves=reported)


@pytest.fixture
def record() -> StudyRecord:
    """Five trials at the first epoch, two at the second."""
    return study(
        ran(0, "complete", 0.1, 0.6, **{"loss/a": [3.0, 2.0], "loss": [5.0, 4.0]}),
        ran(1, "complete", 0.2, 0.8),
        ran(2, "pruned", 0.3),
        ran(3, "pruned", 0.4),
        ran(4, "running", 0.5),
        ran(5, "pruned", None),
    )


def test_bands_are_quantiles_of_the_trials_that_have_reported(record: StudyRecord) -> None:
    found = curves.info(record)
    assert found.epochs.tolist() == [1.0, 2.0]
    assert found.counts.tolist() == [5, 2]
    np.testing.assert_allclose(found.bands[:, 0], [0.14, 0.2, 0.3, 0.4, 0.46])
    np.testing.assert_allclose(found.bands[:, 1], [0.62, 0.65, 0.7, 0.75, 0.78])


def test_the_best_and_the_chosen_are_drawn_and_no_other(record: StudyRecord) -> None:
    found = curves.info(record, top=1, chosen=[4, 1, 77])
    assert [(line.trial.number, line.chosen) for line in found.lines] == [(4, True), (1, True)]
    assert found.absent == (77,)
    found = curves.info(record, top=3, chosen=[2])
    assert [line.trial.number for line in found.lines] == [1, 0, 4, 2]


def test_never_more_than_twenty_lines() -> None:
    record = study(*(ran(i, "complete", 0.1) for i in range(50)))
    page = curves.blocks(record, {"top": "10", "trials": ", ".join(map(str, range(20, 50)))})
    assert len(figures(page)["curves"].data) == 20 + 4  # two bands, the median, the counts


def test_metrics_of_the_whole_come_before_those_of_parts(record: StudyRecord) -> None:
    page = curves.blocks(record, {"metric": "loss"})
    choice = controls(page)["metric"]
    assert list(choice.options) == ["f", "loss", "loss/a"]  # type: ignore[union-attr]
    assert choice.value == "loss"
    assert controls(curves.blocks(record, {"metric": "x"}))["metric"].value == "f"


def test_the_page_says_that_only_survivors_are_left(record: StudyRecord) -> None:
    assert "good enough to go on" in words(curves.blocks(record, {}))
    whole = study(ran(0, "complete", 0.1, 0.2))
    assert "good enough to go on" not in words(curves.blocks(whole, {}))


def test_the_table_lists_what_is_drawn(record: StudyRecord) -> None:
    page = curves.blocks(record, {"top": "3", "trials": "5"})
    assert [row[:6] for row in table(page, "curves")] == [
        ["1", "● complete", "2", "0.8", "0.2", "0.8"],
        ["0", "● complete", "2", "0.6", "0.1", "0.6"],
        ["4", "▶ running", "1", "0.5", "0.5", "0.5"],
        ["5", "✂ pruned", "1", "–", "–", "–"],
    ]


def test_an_absent_trial_is_named(record: StudyRecord) -> None:
    assert "no trial 99" in words(curves.blocks(record, {"trials": "3, 99"}), "warning")
