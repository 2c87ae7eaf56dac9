"""Synthetic data in the official layout of each data set, so that true loaders run anywhere."""

from collections.abc import Callable
from pathlib import Path

from mrtune.data.fresh import fresh_folder
from mrtune.data.generate.faces import write_celeba
from mrtune.data.generate.garments import write_fashion
from mrtune.data.generate.rooms import write_nyuv2
from mrtune.data.generate.streets import write_cityscapes
from mrtune.data.source import Progress, to_watcher
from mrtune.errors import ParameterError, UsageError

GENERATORS: dict[str, Callable[[Path, int, int, Progress], None]] = {
    "fashion": write_fashion,
    "celeba": write_celeba,
    "cityscapes": write_cityscapes,
    "nyuv2": write_nyuv2,
}
FEWEST = 10  # so that every split gets a sample


def generate(name: str, to: Path, n: int, seed: int = 0, progress: Progress = to_watcher) -> None:
    """Write `n` samples to the folder `to`, which must be empty or new."""
    if name not in GENERATORS:
        raise UsageError(f"no generator for {name!r}: there are {', '.join(GENERATORS)}")
    if n < FEWEST:
        raise ParameterError("n", f"at least {FEWEST}", n)
    if seed < 0:
        raise ParameterError("seed", "0 or more", seed)
    with fresh_folder(to) as folder:
        GENERATORS[name](folder, n, seed, progress)
