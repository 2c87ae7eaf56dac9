"""A folder, of this machine or shared by several."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from mrtune.places.trouble import told


class Folder:
    """Files on a disk, replaced in one move."""

    kind = "a folder"
    look_every = 0.0

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self.name = str(self.path)

    def within(self, *names: str) -> "Folder":
        """Return a folder inside this one."""
        return Folder(self.path.joinpath(*names))

    def read(self, name: str, start: int = 0) -> bytes | None:
        """Return a file from a position on; None where there is no such file."""
        with told(self.name):
            try:
                with (self.path / name).open("rb") as file:
                    file.seek(start)
                    return file.read()
            except FileNotFoundError:
                return None

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        """Write a file in one move."""
        # A machine that was cut off may write to the slot of a trial which has moved on.
        partial = self.path / f"{name}.{secrets.token_hex(4)}.partial"
        with told(self.name):
            self.path.mkdir(parents=True, exist_ok=True)
            try:
                with partial.open("wb") as file:
                    file.writelines(parts)
                    file.flush()
                    os.fsync(file.fileno())
                partial.replace(self.path / name)
            finally:
                partial.unlink(missing_ok=True)

    @contextmanager
    def appending(self, name: str) -> Iterator[TextIO]:
        """Open a text that grows, line by line."""
        with told(self.name):
            self.path.mkdir(parents=True, exist_ok=True)
            file = (self.path / name).open("a", encoding="utf-8")
        with file:
            yield file

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""
        with told(self.name):
            return (self.path / name).is_file()

    def names(self) -> list[str]:
        """Name the files, in order."""
        with told(self.name):
            if not self.path.is_dir():
                return []
            return sorted(path.name for path in self.path.iterdir() if path.is_file())

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        with told(self.name):
            (self.path / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove the folder with all that is in it, as far as that can be done."""
        shutil.rmtree(self.path, ignore_errors=True)

    def on_this_machine(self, name: str) -> Path:
        """Return the path of a file; its folder is made."""
        with told(self.name):
            self.path.mkdir(parents=True, exist_ok=True)
        return self.path / name
