"""A search while it runs: as a live page, as plain lines, as JSON, or not at all."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table

from mrtune.cli import console, study_text
from mrtune.cli.study_text import MARKS
from mrtune.wording import number, settings, storable

if TYPE_CHECKING:
    from mrtune.search.events import Event
    from mrtune.study import StudyRecord

Read = Callable[[], "StudyRecord"]
Watch = Callable[["Event"], None]
LAST_EVENTS = 8
SHARE_OF_READING = 0.05  # of the time, at most, is spent on reading large studies
LINES = {
    "started": lambda a: f"started at epoch {number(a['epoch'])}  {settings(a['params'])}",
    "report": lambda a: f"epoch {number(a['epoch'])}  {_values(a)}",
    "complete": lambda a: f"complete  {_values(a)}",
    "pruned": lambda a: f"stopped at epoch {number(a['epoch'])}{_threshold(a)}",
    "fail": lambda a: f"failed: {a['reason']}",
    "retry": lambda a: f"its worker was lost, it goes on in another (attempt {a['retries'] + 1})",
    "requeued": lambda a: (
        f"waits at epoch {number(a['epoch'])}, with a checkpoint"
        if a["begun"]
        else "waits for a machine with room"
    ),
    "adopted": lambda a: f"trials {a['trials']} of a process that is gone are continued",
    "control": lambda a: f"asked to {a['request']}",
}
STATE = {"started": "running", "report": "running", "retry": "fail", "requeued": "waiting"}


@contextmanager
def view(read: Read, as_json: bool, quiet: bool) -> Iterator[Watch]:
    """Show a search while the block runs; the block is given what to call with each event."""
    if as_json:
        yield print_event
    elif quiet:
        yield lambda _: None
    elif console.stdout().is_terminal:
        with _live(read) as watch:
            yield watch
    else:
        yield lambda event: console.stdout().print(line(event), soft_wrap=True)


def print_event(event: "Event") -> None:
    """Print an event as one JSON object."""
    content = {"event": event.kind, "trial": event.trial, **event.about}
    if "values" in content:
        content["values"] = [storable(value) for value in content["values"]]
    console.print_json({key: value for key, value in content.items() if value is not None})


def line(event: "Event") -> str:
    """Write an event on one line."""
    text = escape(LINES[event.kind](event.about))
    if event.trial is None:
        return text
    return f"{MARKS[STATE.get(event.kind, event.kind)]} trial {event.trial:>3}  {text}"


def _values(about: dict[str, Any]) -> str:
    return "  ".join(f"{value:.4f}" for value in about["values"])


def _threshold(about: dict[str, Any]) -> str:
    threshold = about.get("threshold")
    return "" if threshold is None else f", {threshold:.4f} was needed"


@contextmanager
def _live(read: Read) -> Iterator[Watch]:
    page = LivePage(read)
    with Live(
        get_renderable=page.draw, console=console.stdout(), refresh_per_second=2, transient=True
    ):
        yield page.take


class LivePage:
    """The study as a whole, and the last events."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._events: deque[str] = deque(maxlen=LAST_EVENTS)
        self._record: StudyRecord | None = None
        self._read_again = 0.0
        self._started = time.monotonic()
        self._epochs: dict[int, float] = {}
        self._done = 0.0  # epochs trained since this process started

    def take(self, event: "Event") -> None:
        """Note an event."""
        if event.kind == "started":
            self._epochs[event.trial or 0] = event.about["epoch"]
        if event.kind == "report":
            trial, epoch = event.trial or 0, event.about["epoch"]
            self._done += epoch - self._epochs.get(trial, 0.0)
            self._epochs[trial] = epoch
        if event.kind != "report" or not self._events:
            self._events.append(line(event))

    def draw(self) -> RenderableType:
        """Lay the page out."""
        record = self._fresh()
        if record is None:
            return "starting Ray …"
        share = self._share(record)
        bar = Table.grid(padding=(0, 2))
        pace = self._done / max(time.monotonic() - self._started, 1e-9)
        bar.add_row(ProgressBar(total=1, completed=share, width=40), f"{pace:.2f} epochs/s")
        return Group(study_text.summary(record), "", bar, "", *self._events)

    def _share(self, record: "StudyRecord") -> float:
        if record.target is None:
            return 0.0
        pending = record.counts["running"] + record.counts["waiting"]
        begun = len(record.configurations)
        return max(0.0, begun - pending) / record.target

    def _fresh(self) -> "StudyRecord | None":
        now = time.monotonic()
        if now >= self._read_again:
            self._record = self._read()
            took = time.monotonic() - now
            self._read_again = time.monotonic() + max(0.5, took / SHARE_OF_READING)
        return self._record
