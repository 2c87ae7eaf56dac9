"""Where a study is searched."""

from mrtune.cli.study_text import machines
from mrtune.study import Driver
from mrtune.study.machines import machines_of
from tests.study.made import study, trial

NODES = [
    {"host": "b", "cpus": 4.0, "gpus": 1.0, "alive": True},
    {"host": "a", "cpus": 2.0, "gpus": 0.0, "alive": False},
    {"host": "c", "cpus": 8.0, "gpus": 0.0, "alive": True},
    {"host": "c", "cpus": 8.0, "gpus": 0.0, "alive": False},  # as it was before it came back
]


def driver(alive: bool = True) -> Driver:
    return Driver("d", "b", 1, 0.0, 0.0, alive, {"nodes": NODES})


def test_drivers_tell_of_machines_and_trials_of_where_they_are() -> None:
    trials = [
        trial(0, "running", place={"host": "b"}),
        trial(1, "running", place={"host": "elsewhere"}),
        trial(2, "complete", 0.5, place={"host": "b"}),
    ]
    record = study(*trials, drivers=(driver(),))
    found = {machine.host: machine for machine in machines_of(record)}
    assert list(found) == ["a", "b", "c", "elsewhere"]
    assert [m.alive for m in found.values()] == [False, True, True, True]
    assert [t.number for t in found["b"].trials] == [0]
    assert (found["b"].cpus, found["elsewhere"].cpus) == (4.0, None)
    assert machines(record) == (
        "a [red]gone[/], b (1 running), c (0 running), elsewhere (1 running)"
    )


def test_a_search_that_is_over_has_no_machines() -> None:
    record = study(trial(0, "complete", 0.5), drivers=(driver(alive=False),))
    assert machines_of(record) == ()
    assert machines(record) is None
