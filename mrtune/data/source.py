"""What a data set on disk must offer to be prepared, checked and opened."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mrtune.data.prepared import Array

Progress = Callable[[int, int], None]  # done, of all
Sample = dict[str, Array]

FORMAT = 1  # of the cache and of everything that decides its content; part of every fingerprint
CHUNK = 64  # samples in memory at a time while they are read


_watcher: ContextVar[Progress] = ContextVar("watcher", default=lambda _done, _total: None)


def to_watcher(done: int, total: int) -> None:
    """Show progress to whoever watches, by default nobody."""
    _watcher.get()(done, total)


@contextmanager
def watched(progress: Progress) -> Iterator[None]:
    """Watch what is done to data in the block, by code that knows nothing of who watches."""
    token = _watcher.set(progress)
    try:
        yield
    finally:
        _watcher.reset(token)


class Unreadable(Exception):
    """One sample cannot be used; its text says why."""


@dataclass(frozen=True)
class Field:
    """The type and the shape that one array has in each sample."""

    dtype: str
    shape: tuple[int, ...]


class Source(Protocol):
    """A data set on disk. Only `evidence` is asked for once the cache exists: keep it cheap."""

    @property
    def name(self) -> str:
        """The data set."""

    @property
    def folder(self) -> Path:
        """Where it is."""

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """What was asked for, beyond the data set itself."""

    def evidence(self) -> Iterable[str]:
        """Yield what changes whenever the files do: names, sizes, times, hashes."""

    @property
    def names(self) -> Sequence[str]:
        """The samples there should be, in order."""

    @property
    def parts(self) -> Sequence[str]:
        """The split of each sample."""

    @property
    def fields(self) -> Mapping[str, Field]:
        """The arrays of a sample."""

    def read(self, position: int) -> Sample:
        """Return one sample; from several threads at once. Raise Unreadable if it cannot be had."""

    def findings(self, samples: Iterable[Sample]) -> Iterator[str]:
        """Look at every sample and yield what is odd about the labels."""


def fingerprint(source: Source) -> str:
    """Return a name for the content of a source, from evidence that is cheap to gather."""
    digest = hashlib.sha256(f"{FORMAT} {source.name} {sorted(source.parameters.items())}".encode())
    for line in source.evidence():
        digest.update(b"\n" + line.encode())
    return digest.hexdigest()[:16]


def read_all(source: Source, progress: Progress) -> Iterator[Sample | Unreadable]:
    """Yield each sample in order, or why it cannot be had; decodes on every core."""
    total = len(source.names)
    progress(0, total)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # The first one alone: it loads what the others share.
        for start in (0, *range(1, total, CHUNK)):
            chunk = range(start, min(start + CHUNK if start else 1, total))
            yield from pool.map(lambda position: _attempt(source, position), chunk)
            progress(chunk.stop, total)


def _attempt(source: Source, position: int) -> Sample | Unreadable:
    try:
        return source.read(position)
    except Unreadable as why:
        return why


def listing(folder: Path, suffix: str) -> dict[str, str]:
    """Map the names of the files with a suffix to their size and time of change, sorted."""
    with os.scandir(folder) as entries:
        files = [entry for entry in entries if entry.name.lower().endswith(suffix)]
        found = ((entry.name, entry.stat()) for entry in files)
        return dict(sorted((name, f"{stat.st_size} {stat.st_mtime_ns}") for name, stat in found))


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
