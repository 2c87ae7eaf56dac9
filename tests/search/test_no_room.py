"""Trials that fit no machine, on a real Ray."""

import os
import signal
import time

import pytest

from mrtune.search.events import Event
from mrtune.search.ray_sessions import local_ray
from mrtune.search.room import Room
from mrtune.search.run import run_search
from mrtune.search.studies import reopen
from mrtune.study import close_storage, open_storage
from mrtune.study.control import ask
from tests.search.bench import Bench

pytestmark = pytest.mark.slow
NOWHERE = Room(cpus=1.0, gpus=0.0, memory=1e6, concurrency=2)


def test_a_search_without_room_ends_with_its_time(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    bench.begin(trials=4)
    storage = open_storage(bench.address)
    with local_ray(num_cpus=1):
        began = time.monotonic()
        run_search(reopen(storage, bench.name), NOWHERE, bench.events.append, time_budget=2.0)
        took = time.monotonic() - began
    close_storage(storage)
    assert took < 30
    assert set(bench.kinds()) == {"started", "requeued"}
    assert bench.read().counts["running"] == 0
    assert capfd.readouterr().out == ""


def test_a_search_may_be_interrupted_while_it_hands_a_trial_out(bench: Bench) -> None:
    bench.begin(trials=4)
    storage = open_storage(bench.address)

    def interrupt_at_once(event: Event) -> None:
        bench.events.append(event)
        if event.kind == "started":
            os.kill(os.getpid(), signal.SIGINT)

    with local_ray(num_cpus=1):
        assert run_search(reopen(storage, bench.name), NOWHERE, interrupt_at_once)
    close_storage(storage)
    assert bench.kinds() == ["started", "requeued"]


def test_a_stopped_search_begins_no_trial_that_waits_for_room(bench: Bench) -> None:
    bench.begin(trials=6, fixed__pause=0.2)
    storage = open_storage(bench.address)
    opened = reopen(storage, bench.name)

    def stop_at_first_report(event: Event) -> None:
        bench.events.append(event)
        if event.kind == "report" and bench.kinds().count("report") == 1:
            ask(opened.study, "stop")

    with local_ray(num_cpus=1):
        run_search(opened, Room(1.0, 0.0, None, 2), stop_at_first_report)
    close_storage(storage)
    states = [trial.state for trial in bench.read().trials]
    assert states == ["complete", "waiting", "waiting"]
