"""What a trial prints, on its way to its slot."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import TextIO

from mrtune.errors import StorageFailed
from mrtune.places import told
from mrtune.search.slot import Slot


class Log:
    """Grows in a folder while a trial prints, and in a store when it is kept."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._opened = ExitStack()
        self._text: TextIO | None = None

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Take what the block prints; if the block fails, keep it."""
        if self._text is None:
            self._text = self._opened.enter_context(self._slot.logging())
        try:
            with redirect_stdout(self._text), redirect_stderr(self._text):
                yield
            with told(self._slot.place.name):
                self._text.flush()
        except BaseException:
            with suppress(StorageFailed):  # the block's own trouble is what is told
                self.keep()
            raise

    def keep(self) -> None:
        """Write all that was printed so far; in a store, each time costs the whole log anew."""
        self._text = None
        with told(self._slot.place.name):
            self._opened.close()
