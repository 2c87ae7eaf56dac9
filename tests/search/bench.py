"""A search without Ray: the real sweep and the real attempts, one after the other, in here."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mrtune.search.attempt import Attempt
from mrtune.search.events import Event
from mrtune.search.job import Job
from mrtune.search.settings import Settings
from mrtune.search.space import Space, load_space
from mrtune.search.studies import OpenStudy, begin, reopen
from mrtune.search.sweep import Sweep
from mrtune.study import Storage, StudyRecord, close_storage, open_storage, read_study
from mrtune.study.keys import DRIVER

OPENED: list[Storage] = []  # closed after each test
FOLDER = Path(__file__).parent


@dataclass
class Bench:
    """A study in a folder, and the events of all sweeps over it."""

    folder: Path
    name: str = "study"
    url: str = ""
    runs: str = ""
    events: list[Event] = field(default_factory=list)

    @property
    def address(self) -> str:
        return self.url or f"sqlite:///{self.folder / 'mrtune.db'}"

    def begin(self, trials: int | None = 6, seed: int = 0, **overrides: Any) -> Space:
        """Create the study; `budget__epochs=3` overrides budget.epochs of the quadratic space."""
        dotted = [(key.replace("__", "."), value) for key, value in overrides.items()]
        space = load_space(str(FOLDER / "quadratic.yaml"), dotted)
        storage = open_storage(self.address)
        runs = self.runs or str(self.folder / "runs")
        settings = Settings(trials, seed, space.budget.grace or 1.0, runs)
        begin(storage, self.name, space, settings, {"git": "abc"})
        close_storage(storage)
        return space

    def sweep(self) -> Sweep:
        """Open the study as another process would."""
        storage = open_storage(self.address)
        OPENED.append(storage)
        return sweep_over(reopen(storage, self.name), self.events)

    def read(self) -> StudyRecord:
        storage = open_storage(self.address)
        try:
            return read_study(reopen(storage, self.name).study)
        finally:
            close_storage(storage)

    def kinds(self, trial: int | None = None) -> list[str]:
        return [e.kind for e in self.events if trial is None or e.trial == trial]


def sweep_over(opened: OpenStudy, events: list[Event]) -> Sweep:
    sweep = Sweep(opened, 1, events.append)
    sweep.start()
    return sweep


def work(sweep: Sweep, slices: int | None = None) -> None:
    """Do what workers do, one trial at a time, for so many slices at most."""
    left = iter(range(slices)) if slices is not None else iter(int, 1)
    while not sweep.over() and sweep.handing_out:
        job = sweep.next_job()
        if job is None or not finish(sweep, job, left):
            return


def finish(sweep: Sweep, job: Job, left: Iterator[int]) -> bool:
    """Work on a trial to its end; return whether slices are left."""
    attempt = Attempt(job, "cpu")
    try:
        return any(sweep.take(job.number, attempt.advance()) for _ in left)
    finally:
        attempt.close()


def die(sweep: Sweep) -> None:
    """Leave as a process that is killed: without a word, and not among the living any more."""
    for key in list(sweep.study.user_attrs):
        if key.startswith(DRIVER):
            sweep.study.set_user_attr(key, None)
