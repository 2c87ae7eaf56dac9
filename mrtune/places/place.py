"""What is asked of a place where files lie."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TextIO


class Place(Protocol):
    """Files by their names; trouble with them is StorageFailed."""

    name: str  # finds the place again, on any machine that sees it
    kind: str  # in words
    look_every: float  # seconds that a look at what may change is worth, at least

    def within(self, *names: str) -> "Place":
        """Return a place inside this one."""

    def read(self, name: str, start: int = 0) -> bytes | None:
        """Return a file from a position on; None where there is no such file."""

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        """Write a file, which is there as a whole or not at all."""

    def appending(self, name: str) -> AbstractContextManager[TextIO]:
        """Open a text that grows; what is written is there when the block ends, at the latest."""

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    def names(self) -> list[str]:
        """Name the files, in order."""

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""

    def clear(self) -> None:
        """Remove all files, also those of places inside."""

    def on_this_machine(self, name: str) -> Path:
        """Return the path of a file that a dying process can still write to."""
