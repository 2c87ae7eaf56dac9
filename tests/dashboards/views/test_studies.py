from datetime import datetime
from typing import Any

import pytest

from dashboards.views import studies
from mrtune.study import Driver, Objective, StudyRecord
from tests.dashboards.views.reading import controls, facts, rows, table, words
from tests.study.made import study, trial

LIVE = Driver("a", "node-1", 7, started=0.0, seen=10.0, alive=True)
LOST = Driver("b", "node-2", 8, started=0.0, seen=20.0, alive=False)


def begun(name: str, day: int, *values: float, **more: Any) -> StudyRecord:
    """A study whose target of three is not reached."""
    moment = datetime(2026, 1, day, 9, 30)
    trials = (
        trial(i, "complete", v, started=moment, ended=moment.replace(hour=10))
        for i, v in enumerate(values)
    )
    return study(*trials, name=name, **more)


@pytest.fixture
def records() -> list[StudyRecord]:
    down = (Objective("error", "minimize"),)
    return [
        begun("old", 1, 0.4, drivers=(LOST,)),
        begun("Busy", 2, 0.5, 0.7, drivers=(LOST, LIVE), workload="celeba"),
        begun("low", 3, 0.3, objectives=down),
        begun("lower", 4, 0.2, 0.2, 0.2, objectives=down),
        study(name="new"),
    ]


def names(records: list[StudyRecord], **query: str) -> list[str]:
    return [row[0] for row in table(studies.blocks(records, query), "studies")]


def test_a_study_is_a_line(records: list[StudyRecord]) -> None:
    page = studies.blocks(records, {"q": "busy"})
    ((*texts,),) = table(page, "studies")
    assert texts == [
        "Busy",
        "▶ running",
        "● 2",
        "f",
        "0.7",
        "2026-01-02 09:30",
        "30 min",  # an hour for two, and one is left
        "node-1",
    ]
    assert rows(page, "studies")[0][0].link == "/study/Busy/overview"
    assert facts(page)["▶ running"] == "1"


def test_a_study_that_nobody_searches_tells_who_was_last(records: list[StudyRecord]) -> None:
    ((*texts,),) = table(studies.blocks(records, {"q": "old"}), "studies")
    assert texts[1] == "⚠ interrupted"
    assert texts[-1] == "node-2"
    assert "mrtune resume" in words(studies.blocks(records, {}), "warning")


def test_the_newest_is_the_first(records: list[StudyRecord]) -> None:
    assert names(records) == ["new", "lower", "low", "Busy", "old"]


def test_studies_are_filtered_by_text_and_state(records: list[StudyRecord]) -> None:
    assert names(records, q="CELEB") == ["Busy"]
    assert names(records, state="finished") == ["lower"]
    assert names(records, state="nonsense", q="low") == ["lower", "low"]
    assert "No study is like that" in words(studies.blocks(records, {"q": "xyz"}))
    states = controls(studies.blocks(records, {}))["state"]
    assert list(states.options) == ["all", "running", "interrupted", "finished"]  # type: ignore[union-attr]


def test_an_empty_storage_says_how_to_begin() -> None:
    assert "mrtune search" in words(studies.blocks([], {}))
