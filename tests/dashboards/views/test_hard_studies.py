"""Every page has a sensible form for studies that are empty, broken, or oddly named."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from dashboards.blocks import Block, Figure, Table
from dashboards.views import asha, cluster, curves, explore, overview, studies, trial
from mrtune.study import Driver, Rung, StudyRecord
from tests.study import made

EVIL = "<img src=x onerror=alert(1)>"
NAME = f"日本 {EVIL} %{{x}} a/b?c#d"
BEGAN = datetime(2026, 1, 1, 12)


def curve(*values: float | None, metric: str = "f") -> dict[str, Any]:
    return {"curves": {"epoch": [float(i) for i in range(1, len(values) + 1)], metric: values}}


def evil() -> StudyRecord:
    """Markup in every text that a user can choose."""
    drivers = (Driver("d", EVIL, 1, 0.0, 0.0, True, {"nodes": [{"host": EVIL, "cpus": 2.0}]}),)
    trials = [
        made.trial(
            i,
            "complete",
            0.1 * i,
            params={EVIL: 0.5 + i, "名": EVIL},
            setting={EVIL: EVIL},
            **curve(0.0, 0.1 * i),
            rungs=(Rung(0, 1.0, 0.1, 0.2, True),),
            place={"host": EVIL},
            provenance={EVIL: EVIL},
            started=BEGAN,
            ended=BEGAN,
        )
        for i in range(12)
    ]
    failed = made.trial(12, "fail", failure={"reason": EVIL, "traceback": EVIL}, slot=EVIL)
    running = made.trial(13, "running", place={"host": EVIL}, **curve(0.3), owner="d")
    objectives = (made.Objective("f", "maximize"),)
    return made.study(
        *trials, failed, running, name=NAME, workload=EVIL, drivers=drivers, objectives=objectives
    )


HARD: dict[str, Callable[[], StudyRecord]] = {
    "empty": made.study,
    "of nobody": lambda: made.study(space={}, settings={}),
    "one waits": lambda: made.study(made.trial(0, "waiting")),
    "one begins": lambda: made.study(made.trial(0, "running", started=BEGAN)),
    "one complete": lambda: made.study(made.trial(0, "complete", 0.5, **curve(0.5))),
    "all fail": lambda: made.study(
        *(made.trial(i, "fail", failure={"reason": "x", "traceback": ""}) for i in range(3))
    ),
    "all pruned": lambda: made.study(
        *(made.trial(i, "pruned", params={"p": 0.1 * i}, **curve(0.1, 0.2)) for i in range(3))
    ),
    "no metric": lambda: made.study(
        *(made.trial(i, "pruned", params={"p": 0.5}, **curve(1.0, metric="g")) for i in range(3))
    ),
    "only NaN": lambda: made.study(
        *(made.trial(i, "pruned", params={"p": 0.5}, **curve(None, None)) for i in range(3))
    ),
    "one value": lambda: made.study(
        *(made.trial(i, "complete", 0.5, params={"p": 0.5}, **curve(0.5)) for i in range(30))
    ),
    "evil": evil,
}
VIEWS = {
    module.__name__.rpartition(".")[2]: module
    for module in (asha, cluster, curves, explore, overview, trial)
}
QUERIES: tuple[dict[str, str], ...] = (
    {},
    {"trial": "99", "metric": EVIL, "top": "-1", "trials": f"1, {EVIL}, 9", "where": EVIL},
    {"trial": "0", "k": "x", "x": EVIL, "y": "p", "layer": EVIL, "task": "7", "where": "trial>=0"},
)


def pages(record: StudyRecord, view: str, query: dict[str, str]) -> list[Block]:
    return VIEWS[view].blocks(record, query)  # type: ignore[no-any-return, attr-defined]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("study", HARD)
def test_every_page_can_be_shown(study: str, view: str) -> None:
    for query in QUERIES:
        page = pages(HARD[study](), view, query)
        assert page
        for block in page:
            if isinstance(block, Figure):
                drawn = json.loads(block.figure.to_json())
                assert not any("gl" in trace["type"] for trace in drawn["data"])
            if isinstance(block, Table):
                assert {len(row) for row in block.rows} <= {len(block.columns)}


@pytest.mark.parametrize("view", VIEWS)
def test_texts_of_users_are_no_markup_in_pictures(view: str) -> None:
    for query in ({}, {"trials": "3"}, {"trial": "13"}):
        for block in pages(evil(), view, query):
            if isinstance(block, Figure):
                assert "<img" not in block.figure.to_json().replace("\\u003c", "<")


@pytest.mark.parametrize("view", VIEWS)
def test_links_survive_any_name(view: str) -> None:
    page = pages(evil(), view, {})
    links = [
        cell.link
        for block in page
        if isinstance(block, Table)
        for row in block.rows
        for cell in row
        if cell.link
    ]
    for link in links:
        assert link.startswith("/study/%E6%97%A5%E6%9C%AC%20%3Cimg%20src")
        assert "%2Fb%3Fc%23d/trial?trial=" in link


def test_all_hard_studies_have_a_line_among_the_studies() -> None:
    records = [make() for make in HARD.values()]
    (table,) = (block for block in studies.blocks(records, {}) if isinstance(block, Table))
    assert len(table.rows) == len(HARD)
