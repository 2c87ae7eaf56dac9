"""NYUv2: 13 classes of indoor scenes, depth and surface normals, 288×384, in MTAN's layout."""

from pathlib import Path

from mrtune.data import roots
from mrtune.data.cache import open_cached
from mrtune.data.mtan import Mtan
from mrtune.data.prepared import Prepared
from mrtune.data.source import Progress, to_watcher

NYUV2_CLASSES = (
    "bed",
    "books",
    "ceiling",
    "chair",
    "floor",
    "furniture",
    "objects",
    "picture",
    "sofa",
    "table",
    "tv",
    "wall",
    "window",
)


def open_nyuv2(
    root: str | Path | None = None, strict: bool = False, progress: Progress = to_watcher
) -> Prepared:
    """Open NYUv2: as Cityscapes, depth in metres, and `normal` float16 (0-vector unknown)."""
    return open_cached(source(root), strict=strict, progress=progress)


def source(root: str | Path | None) -> Mtan:
    """Return the data set under a folder, or on the search path."""
    folder = roots.resolve("nyuv2", root)
    return Mtan("nyuv2", folder, NYUV2_CLASSES, ("image", "label", "depth", "normal"))
