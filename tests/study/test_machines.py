"""Where a study is searched."""

import pytest

from mrtune.cli.study_text import machines
from mrtune.study import Driver
from mrtune.study.machines import machines_of, unplaced
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
        "a [red]gone[/], b (1 running), elsewhere (1 running), c (0 running)"
    )


def test_what_was_handed_out_and_has_no_place_waits_for_a_machine() -> None:
    trials = [
        trial(0, "running"),
        trial(1, "running", place={"host": "b"}),
        trial(2, "waiting"),
        trial(3, "running", place={}),
    ]
    record = study(*trials, drivers=(driver(),))
    assert [t.number for t in unplaced(record)] == [0, 3]
    assert [m.host for m in machines_of(record)] == ["a", "b", "c"]
    assert machines(record) == (
        "a [red]gone[/], b (1 running), c (0 running), 2 waiting for a machine"
    )


@pytest.mark.parametrize("lost", [1, 20])
def test_no_lost_machine_is_among_those_that_are_not_named(lost: int) -> None:
    idle = [{"host": f"a{n}", "alive": True} for n in range(20)]
    gone = [{"host": f"z{n}", "alive": False} for n in range(lost)]
    told = Driver("d", "b", 1, 0.0, 0.0, True, {"nodes": [*idle, *gone]})
    text = machines(study(trial(0, "running", place={"host": "m"}), drivers=(told,)))
    assert text is not None
    shown = text.split(", ")
    assert sum("gone" in part for part in shown) == lost
    if lost == 1:
        assert shown[:3] == ["z0 [red]gone[/]", "m (1 running)", "a0 (0 running)"]
        assert shown[-1] == "14 more"


def test_before_any_machine_is_known_all_trials_wait_for_one() -> None:
    begun = Driver("d", "b", 1, 0.0, 0.0, alive=True)
    record = study(trial(0, "running"), drivers=(begun,))
    assert machines_of(record) == ()
    assert machines(record) == "1 waiting for a machine"


def test_a_search_that_is_over_has_no_machines() -> None:
    record = study(trial(0, "complete", 0.5), trial(1, "running"), drivers=(driver(alive=False),))
    assert machines_of(record) == ()
    assert unplaced(record) == ()
    assert machines(record) is None
