"""Cityscapes: 7 classes of street scenes and inverse depth, 128×256, in MTAN's layout."""

from pathlib import Path

from mrtune.data import roots
from mrtune.data.cache import open_cached
from mrtune.data.mtan import Mtan
from mrtune.data.prepared import Prepared
from mrtune.data.source import Progress, to_watcher

CITYSCAPES_CLASSES = ("flat", "construction", "object", "nature", "sky", "human", "vehicle")


def open_cityscapes(
    root: str | Path | None = None, strict: bool = False, progress: Progress = to_watcher
) -> Prepared:
    """Open Cityscapes: `image` uint8, `label` int8 (−1 void), `depth` float32 (0 unknown)."""
    return open_cached(source(root), strict=strict, progress=progress)


def source(root: str | Path | None) -> Mtan:
    """Return the data set under a folder, or on the search path, with its 7 classes."""
    folder = roots.resolve("cityscapes", root)
    kinds = ("image", "label", "depth")
    return Mtan("cityscapes", folder, CITYSCAPES_CLASSES, kinds, ("label_7", "label"))
