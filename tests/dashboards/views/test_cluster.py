from datetime import datetime
from typing import Any

import pytest

from dashboards.views import cluster
from mrtune.study import Driver, StudyRecord, TrialRecord
from tests.dashboards.views.reading import facts, figures, rows, table, tables, words
from tests.study.made import study, trial

NOW = datetime(2026, 1, 1, 12).timestamp()
NODES = [
    {"host": "a", "cpus": 8.0, "gpus": 1.0, "alive": True},
    {"host": "b", "cpus": 4.0, "gpus": 0.0, "alive": False},
]
SPACE = {"budget": {"epochs": 8}, "resources": {"cpus": 2.0, "gpus": 0.5}}


def driver(seen: float, alive: bool = True, **about: Any) -> Driver:
    return Driver("d", "a", 42, started=NOW - 600, seen=NOW - seen, alive=alive, about=about)


def runs(number: int, host: str, *pace: float | None) -> TrialRecord:
    curves = {"epoch": [1.0 * i for i in range(1, len(pace) + 1)], "images_per_s": pace}
    place = {"host": host, "device": "cpu"}
    began = datetime(2026, 1, 1, 11, 50)
    return trial(number, "running", place=place, curves=curves, owner="d", started=began)


@pytest.fixture
def busy() -> StudyRecord:
    return study(
        runs(0, "a", 90.0, 100.0),
        runs(1, "a", None),
        runs(2, "c", 50.0),
        trial(3, "waiting"),
        trial(4, "complete", 0.5, place={"host": "z"}),
        settings={"trials": 9},
        space=SPACE,
        drivers=(driver(3.0, concurrency=4, nodes=NODES),),
    )


def test_machines_are_those_that_drivers_know_and_that_trials_run_on(busy: StudyRecord) -> None:
    found = cluster.info(busy, NOW)
    assert [(n.host, n.alive, n.trials, n.pace) for n in found.nodes] == [
        ("a", True, (0, 1), 100.0),
        ("b", False, (), 0.0),
        ("c", True, (2,), 50.0),
    ]
    assert [(n.cpus_used, n.cpus, n.gpus_used) for n in found.nodes] == [
        (4.0, 8.0, 1.0),
        (0.0, 4.0, 0.0),
        (2.0, None, 0.5),
    ]
    assert found.pace == 150.0
    assert [t.number for t in found.waiting] == [3]
    assert found.to_come == 4


def test_the_page_lists_machines_processes_and_trials(busy: StudyRecord) -> None:
    page = cluster.blocks(busy, {})
    assert facts(page)["images/s"] == "150"
    assert [row[2] for row in table(page, "machines")] == ["4 of 8", "0 of 4", "2"]
    ((process, state, _, _, trials, at_once),) = table(page, "drivers")
    assert (process, state, trials, at_once) == ("42 on a", "▶ searching", "3", "4")
    assert [row[1] for row in table(page, "running")] == ["a", "a", "c"]
    assert rows(page, "running")[2][0].link == "/study/s/trial?trial=2"
    used, free = figures(page)["machines"].data
    assert list(used.y) == ["c", "b (gone)", "a"]
    assert list(used.x) == [2.0, 0.0, 4.0]
    assert list(free.x) == [0.0, 4.0, 4.0]
    assert "Gone from the cluster: b" in words(page, "warning")


def test_the_queue_has_what_waits_for_a_machine_and_what_waits_for_its_turn() -> None:
    record = study(
        runs(0, "a"),
        trial(1, "running", owner="d"),
        trial(2, "waiting", curves={"epoch": [1.0, 2.0]}),
        drivers=(driver(3.0, nodes=NODES),),
    )
    page = cluster.blocks(record, {})
    counts = [facts(page)[name] for name in ("▶ running", "waiting for a machine", "◌ waiting")]
    assert counts == ["1", "1", "1"]
    assert table(page, "queue") == [["1", "a machine", "0"], ["2", "its turn", "2"]]
    assert rows(page, "queue")[0][0].link == "/study/s/trial?trial=1"
    assert [row[0] for row in table(page, "machines")] == ["a", "b"]
    assert [row[0] for row in table(page, "running")] == ["0"]
    assert table(page, "drivers")[0][4] == "2"


def test_where_nothing_waits_there_is_no_queue() -> None:
    assert "queue" not in tables(cluster.blocks(study(runs(0, "a"), drivers=(driver(3.0),)), {}))


def test_signs_of_life_are_as_old_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: NOW)
    page = cluster.blocks(study(runs(0, "a"), drivers=(driver(200.0),)), {})
    assert table(page, "drivers")[0][2] == "3 min ago"
    assert "no sign of life for 3 min" in words(page, "warning")
    assert table(page, "running")[0][-1] == "10 min"


def test_without_a_driver_what_runs_is_only_marked_so() -> None:
    page = cluster.blocks(
        study(runs(0, "a"), drivers=(driver(99.0, alive=False, nodes=NODES),)), {}
    )
    assert (
        "No process searches this study now. Trials that are still marked as running: 1."
        in words(page)
    )
    assert [row[0] for row in table(page, "machines")] == ["a"]
    assert table(page, "drivers")[0][1] == "✗ lost"
