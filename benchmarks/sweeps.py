"""Our engine without Ray: the real sweep over a real study, for whoever drives it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mrtune.search.queue import TrialQueue
from mrtune.search.samplers import proposer
from mrtune.search.settings import Settings
from mrtune.search.space import Space
from mrtune.search.studies import begin
from mrtune.search.sweep import Sweep
from mrtune.study import close_storage, open_storage


@contextmanager
def open_sweep(folder: Path, space: Space, grace: float, seed: int = 0) -> Iterator[Sweep]:
    """Begin a study in a folder."""
    storage = open_storage(str(folder / "mrtune.db"))
    settings = Settings(space.trials, seed, grace, str(folder / "runs"))
    opened = begin(storage, "study", space, settings, {})
    proposals = proposer(space.sampler, seed, space.trials, len(space.objectives))
    queue = TrialQueue(opened.study, storage, space, proposals, space.trials, seed, lambda _: None)
    sweep = Sweep(opened.study, queue, space, settings, 1, lambda _: None)
    sweep.start()
    try:
        yield sweep
    finally:
        sweep.end()
        close_storage(storage)
