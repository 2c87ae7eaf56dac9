"""The place of a trial: checkpoints to continue from, a log, and where it hung if it did."""

from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from mrtune.errors import StorageFailed
from mrtune.places import place_of, told
from mrtune.training import checkpoint

CHECKPOINTS = "checkpoints"
LOG = "log.txt"
HANG = "hang.txt"


class Saved(NamedTuple):
    """A training as it was saved, and its reports up to then."""

    trainer: dict[str, Any]
    reports: list[dict[str, float]]


class Slot:
    """What is kept of a trial."""

    def __init__(self, name: str) -> None:
        self.place = place_of(name)
        self._checkpoints = self.place.within(CHECKPOINTS)

    def watching(self) -> TextIO:
        """Open the file that a process which hangs leaves."""
        path = self._hang
        with told(self.place.name):
            return path.open("w")

    def hung(self) -> str:
        """Return what a process that hung has left, once."""
        path = self._hang
        with told(self.place.name):
            if not path.exists():
                return ""
            left = path.read_text()
            path.unlink()
            return left

    @property
    def _hang(self) -> Path:
        return self.place.on_this_machine(HANG)

    def logging(self) -> AbstractContextManager[TextIO]:
        """Open the log, to add to it."""
        return self.place.appending(LOG)

    def save(self, saved: Saved) -> None:
        """Write a checkpoint that is whole or not there."""
        checkpoint.save(self._checkpoints, saved._asdict())

    def load(self) -> Saved | None:
        """Return the newest whole checkpoint, if there is one."""
        state, _ = checkpoint.load_newest(self._checkpoints)
        return None if state is None else Saved(**state)

    def discard(self) -> None:
        """Remove the checkpoints of a trial that nobody will continue; the log stays."""
        with suppress(StorageFailed):  # litter is no reason to end a search
            self._checkpoints.clear()
