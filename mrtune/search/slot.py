"""The folder of a trial: checkpoints to continue from, a log, and where it hung if it did."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

from mrtune.training import checkpoint

CHECKPOINTS = "checkpoints"
LOG = "log.txt"
HANG = "hang.txt"


class Saved(NamedTuple):
    """A training as it was saved, and its reports up to then."""

    trainer: dict[str, Any]
    reports: list[dict[str, float]]


class Slot:
    """A trial on disk."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.log = self.folder / LOG
        self.hang = self.folder / HANG

    def save(self, saved: Saved) -> None:
        """Write a checkpoint in one move."""
        folder = self.folder / CHECKPOINTS
        newest = max((int(path.stem) for path in folder.glob(f"*{checkpoint.SUFFIX}")), default=0)
        checkpoint.save(folder, newest + 1, saved._asdict())

    def load(self) -> Saved | None:
        """Return the newest whole checkpoint, if there is one."""
        state, _ = checkpoint.load_newest(self.folder / CHECKPOINTS)
        return None if state is None else Saved(**state)

    def discard(self) -> None:
        """Remove the checkpoints of a trial that nobody will continue; the log stays."""
        shutil.rmtree(self.folder / CHECKPOINTS, ignore_errors=True)
