"""How many trials fit, and what fits nowhere."""

import pytest

from mrtune.errors import UsageError
from mrtune.search.room import Machine, Room, room_here, room_on
from mrtune.search.space import Resources

PAIR = (Machine(4, 1, 16), Machine(8, 1, 32))


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (Resources(), 12),
        (Resources(cpus=3), 3),  # one here, two there: not four of twelve
        (Resources(cpus=0.1), 120),
        (Resources(gpus=0.5), 4),
        (Resources(gpus=0.3), 6),
        (Resources(memory=12), 3),
        (Resources(memory=32), 1),
    ],
)
def test_each_trial_fits_one_machine(wanted: Resources, fits: int) -> None:
    assert room_on(PAIR, wanted, None).concurrency == fits


@pytest.mark.parametrize(
    ("wanted", "lack"),
    [
        (Resources(gpus=2), "a trial wants 2 GPUs, no machine has more than 1"),
        (Resources(cpus=9), "a trial wants 9 CPUs, no machine has more than 8"),
        (Resources(memory=40), "a trial wants 40 GiB of memory, no machine has more than 32"),
    ],
)
def test_what_fits_no_machine_is_refused_and_waits_where_machines_may_come(
    wanted: Resources, lack: str
) -> None:
    for concurrency in (None, 3):
        with pytest.raises(UsageError, match=lack):
            room_on(PAIR, wanted, concurrency)
    with pytest.raises(UsageError, match=lack):
        room_on(PAIR, wanted, None, growing=True)
    room = room_on(PAIR, wanted, 3, growing=True)
    assert (room.concurrency, room.lack) == (3, lack)


def test_what_no_machine_has_at_once_is_refused() -> None:
    apart = (Machine(8, 0, 64), Machine(2, 2, 8))
    message = "a trial wants 4 CPUs and 1 GPUs, no machine has it all"
    with pytest.raises(UsageError, match=message):
        room_on(apart, Resources(cpus=4, gpus=1), None)


def test_a_cluster_without_machines_lets_trials_wait_for_some() -> None:
    assert room_on([], Resources(), 5, growing=True).concurrency == 5
    with pytest.raises(UsageError, match="no machine has more than 0"):
        room_on([], Resources(), None, growing=True)


def test_a_given_concurrency_divides_the_cores_here_and_may_exceed_them() -> None:
    here = Machine(8)
    assert room_here(Resources(), 2, here, share_cpus=True) == Room(4.0, 0.0, None, 2)
    assert room_here(Resources(cpus=5), 2, here, share_cpus=True).cpus == 5
    assert room_here(Resources(cpus=3), 4, here, share_cpus=False).cpus == 3
    assert room_here(Resources(), 20, here, share_cpus=True).concurrency == 20
    with pytest.raises(UsageError, match="a trial wants 1 GPUs, there are 0"):
        room_here(Resources(gpus=1), 2, here, share_cpus=True)
