"""Runs a search: a study, a sweep over it, and Ray Tune to do the work."""

import logging
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from mrtune.search.ray_sessions import nodes  # first: it quiets what is imported next

# isort: split
from ray import tune

from mrtune.search.actor import TrialActor
from mrtune.search.events import Watch
from mrtune.search.ray_adapters import (
    Silence,
    StudyCallback,
    StudyScheduler,
    StudySearcher,
    Trouble,
)
from mrtune.search.room import Room
from mrtune.search.studies import OpenStudy
from mrtune.search.sweep import Sweep
from mrtune.study import keys
from mrtune.study.control import ask
from mrtune.study.storage import told_apart


class Interruption:
    """Whether the user has pressed Ctrl-C, or a SIGTERM has come."""

    def __init__(self) -> None:
        self.happened = False


def run_search(
    opened: OpenStudy, room: Room, watch: Watch, time_budget: float | None = None
) -> bool:
    """Search until all is done, or until told to stop; return whether it was interrupted."""
    sweep = Sweep(opened, room.threads, watch, room.slice)
    if opened.study.user_attrs.get(keys.CONTROL) != "run":
        ask(opened.study, "run")
    with (
        told_apart(opened.study.study_name),
        _at_work(sweep),
        _draining_on_signals(sweep) as interruption,
        _draining_after(sweep, time_budget),
        tempfile.TemporaryDirectory(prefix="mrtune-ray-") as scratch,
    ):
        _fit(sweep, room, opened.settings.retries, scratch)
    return interruption.happened


@contextmanager
def _at_work(sweep: Sweep) -> Iterator[None]:
    """Sign the sweep on and off; trouble on the way out does not hide what came before."""
    sweep.start()
    try:
        yield
    except BaseException:
        with suppress(Exception):
            sweep.end()
        raise
    sweep.end()


def _fit(sweep: Sweep, room: Room, retries: int, scratch: str) -> None:
    """Let Ray Tune run trials until the sweep is over."""
    trouble = Trouble()
    logging.getLogger("ray.tune").setLevel(logging.CRITICAL)
    sweep.about = lambda: {"concurrency": room.concurrency, "nodes": nodes()}
    os.environ["TUNE_MAX_PENDING_TRIALS_PG"] = str(room.concurrency)
    ahead = 1 if room.concurrency > 1 else 0  # one that is staged lets Ray keep its actors
    tuner = tune.Tuner(
        tune.with_resources(TrialActor, room.resources()),
        tune_config=tune.TuneConfig(
            num_samples=-1,
            search_alg=StudySearcher(sweep, trouble, lambda: room.concurrency + ahead),
            scheduler=StudyScheduler(sweep, trouble),
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(
            name="search",
            storage_path=scratch,
            callbacks=[StudyCallback(sweep, trouble), Silence()],
            checkpoint_config=tune.CheckpointConfig(checkpoint_at_end=False),  # workers write ours
            failure_config=tune.FailureConfig(max_failures=retries),
            verbose=0,
        ),
    )
    try:
        tuner.fit()
    except Exception as error:
        raise trouble.error or error from None


@contextmanager
def _draining_on_signals(sweep: Sweep) -> Iterator[Interruption]:
    """On the first Ctrl-C or SIGTERM let running trials write a checkpoint; on the second, go."""
    interruption = Interruption()

    def interrupt(*_: Any) -> None:
        if interruption.happened:
            raise KeyboardInterrupt
        interruption.happened = True
        sweep.drain()

    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    before = {
        number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _draining_after(sweep: Sweep, seconds: float | None) -> Iterator[None]:
    """Drain when the time is over."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, sweep.drain)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
