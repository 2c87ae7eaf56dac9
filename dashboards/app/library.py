"""The studies of a storage, read again when somebody looks, but not more often than it pays."""

import threading
import time
from dataclasses import dataclass, field

from mrtune.study import Storage, StudyReader, StudyRecord, load_study, study_names
from mrtune.study.control import Request, ask, stop_trial
from mrtune.study.storage import reading

FRESH = 1.0  # seconds for which a record is as good as new


@dataclass
class Shelf:
    """A study, and its newest record."""

    reader: StudyReader
    record: StudyRecord | None = None
    read_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self) -> StudyRecord:
        """Return a record that is fresh; two who ask at once share one reading."""
        with self.lock:
            if self.record is None or time.monotonic() - self.read_at > FRESH:
                with reading():
                    self.record = self.reader.read()
                self.read_at = time.monotonic()
            return self.record


class Library:
    """All studies of a storage."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._shelves: dict[str, Shelf] = {}
        self._lock = threading.Lock()

    def study(self, name: str) -> StudyRecord:
        """Read a study."""
        return self._shelf(name).read()

    def studies(self) -> list[StudyRecord]:
        """Read all studies, the newest last."""
        with reading():
            names = study_names(self._storage)
        return [self.study(name) for name in names]

    def ask(self, name: str, request: Request) -> None:
        """Ask something of the processes that search a study."""
        with reading():
            ask(load_study(self._storage, name), request)

    def stop_trial(self, name: str, number: int) -> None:
        """Ask for the end of one trial."""
        with reading():
            stop_trial(load_study(self._storage, name), number)

    def _shelf(self, name: str) -> Shelf:
        with self._lock, reading():
            if name not in self._shelves:
                self._shelves[name] = Shelf(StudyReader(load_study(self._storage, name)))
            return self._shelves[name]
