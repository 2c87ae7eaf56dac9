"""Our engine without Ray: the real sweep over a real study, for whoever drives it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mrtune.search.settings import Settings
from mrtune.search.space import Space
from mrtune.search.studies import begin
from mrtune.search.sweep import Sweep
from mrtune.study import close_storage, open_storage


@contextmanager
def open_sweep(
    folder: Path, space: Space, grace: float, seed: int = 0, url: str | None = None
) -> Iterator[Sweep]:
    """Begin a study in a folder, or in a database."""
    storage = open_storage(url or str(folder / "mrtune.db"))
    settings = Settings(space.trials, seed, grace, str(folder / "runs"))
    opened = begin(storage, "study", space, settings, {})
    sweep = Sweep(opened, 1, lambda _: None)
    sweep.start()
    try:
        yield sweep
    finally:
        sweep.end()
        close_storage(storage)
