"""Where data sets are looked for."""

import os
from pathlib import Path

from mrtune.errors import DataError

# What shows that a folder holds the data set, any of them.
MARKERS = {
    "celeba": ("img_align_celeba", "img_align_celeba.zip"),
    "cityscapes": ("train/image",),
    "nyuv2": ("train/image",),
}


def search_path() -> list[Path]:
    """Folders that may hold data sets: those of MRTUNE_DATA, else the usual places."""
    given = os.environ.get("MRTUNE_DATA")
    if given:
        return [Path(folder) for folder in given.split(os.pathsep)]
    return [Path("data"), Path("../shared/data")]


def find(name: str) -> Path | None:
    """Return the first folder `name` on the search path that holds the data set."""
    return _first([root / name for root in search_path()], MARKERS[name])


def resolve(name: str, root: str | Path | None, markers: tuple[str, ...] | None = None) -> Path:
    """Return the folder of the data set: `root`, its sub-folder `name`, or on the search path."""
    markers = markers or MARKERS[name]
    if root is None:
        folders = [folder / name for folder in search_path()]
    else:
        folders = [Path(root), Path(root) / name]
    found = _first(folders, markers)
    if found is None:
        raise DataError(
            f"{name} not found: looked for {' or '.join(markers)} in "
            f"{', '.join(map(str, folders))}; `mrtune data` shows how to lay it out"
        )
    return found


def _first(folders: list[Path], markers: tuple[str, ...]) -> Path | None:
    return next((f for f in folders if any((f / marker).exists() for marker in markers)), None)
