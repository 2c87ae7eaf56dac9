"""Raw Cityscapes to MTAN's layout, whose own preprocessing is lost.

Images are resized to 128×256 (bilinear, antialiased) and divided by 255. Labels and disparities
take the nearest pixel. `depth` is the raw 16-bit disparity divided by 65535, 0 where it was not
measured: MTAN's files run to 0.4922, which is 32257 / 65535, the greatest raw disparity.
"""

from pathlib import Path

import numpy as np
from PIL import Image

from mrtune.data.celeba import BROKEN
from mrtune.data.cityscapes import CITYSCAPES_CLASSES
from mrtune.data.fresh import fresh_folder
from mrtune.data.mtan import VOID
from mrtune.data.prepared import Array
from mrtune.data.source import Progress, to_watcher
from mrtune.errors import DataError

# The ids of labelIds.png that the official evaluation counts, by its categories. All others
# (void, and rare ids such as parking, bridge or caravan) are void.
CATEGORY_IDS: dict[str, tuple[int, ...]] = {
    "flat": (7, 8),  # road, sidewalk
    "construction": (11, 12, 13),  # building, wall, fence
    "object": (17, 19, 20),  # pole, traffic light, traffic sign
    "nature": (21, 22),  # vegetation, terrain
    "sky": (23,),
    "human": (24, 25),  # person, rider
    "vehicle": (26, 27, 28, 31, 32, 33),  # car, truck, bus, train, motorcycle, bicycle
}
SIZE = (256, 128)  # width, height
DISPARITY_SCALE = 65535

# Folder and end of the name; each may also lie in the folder that its archive unpacks to.
RAW = {
    "image": ("leftImg8bit", "_leftImg8bit.png"),
    "label_7": ("gtFine", "_gtFine_labelIds.png"),
    "depth": ("disparity", "_disparity.png"),
}


def convert_cityscapes(raw: Path, to: Path, progress: Progress = to_watcher) -> dict[str, int]:
    """Write train and val of the raw folders to MTAN's layout; return how many of each."""
    folders = {kind: _raw_folder(raw, name) for kind, (name, _) in RAW.items()}
    scenes = {split: _scenes(folders["image"], split) for split in ("train", "val")}
    total, done = sum(map(len, scenes.values())), 0
    with fresh_folder(to) as folder:
        for split, names in scenes.items():
            for kind in RAW:
                (folder / split / kind).mkdir(parents=True)
            (folder / split / "names.txt").write_text("\n".join(names) + "\n")
            for number, name in enumerate(names):
                for kind, (_, end) in RAW.items():
                    array = _read(folders[kind] / split / f"{name}{end}", kind)
                    np.save(folder / split / kind / f"{number}.npy", array)
                done += 1
                progress(done, total)
    return {split: len(names) for split, names in scenes.items()}


def to_categories(ids: Array) -> Array:
    """Map the ids of labelIds.png to the 7 categories, −1 for void."""
    table = np.full(256, VOID, dtype=np.float32)
    for index, category in enumerate(CITYSCAPES_CLASSES):
        table[list(CATEGORY_IDS[category])] = index
    mapped: Array = table[ids]
    return mapped


def _raw_folder(raw: Path, name: str) -> Path:
    choices = [raw / name, raw / f"{name}_trainvaltest" / name]
    found = next((choice for choice in choices if choice.is_dir()), None)
    if found is None:
        raise DataError(f"{choices[0]} is missing: raw Cityscapes has {', '.join(_raw_names())}")
    return found


def _raw_names() -> list[str]:
    return [name for name, _ in RAW.values()]


def _scenes(images: Path, split: str) -> list[str]:
    """Name the scenes of a split as city/city_000000_000019, sorted."""
    end = RAW["image"][1]
    found = sorted((images / split).glob(f"*/*{end}"))
    if not found:
        raise DataError(f"{images / split} holds no */*{end}")
    return [f"{path.parent.name}/{path.name.removesuffix(end)}" for path in found]


def _read(path: Path, kind: str) -> Array:
    if not path.is_file():
        raise DataError(f"{path} is missing")
    method = Image.Resampling.BILINEAR if kind == "image" else Image.Resampling.NEAREST
    try:
        with Image.open(path) as image:
            whole = image.convert("RGB") if kind == "image" else image
            array = np.asarray(whole.resize(SIZE, method))
    except BROKEN as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if array.shape[:2] != SIZE[::-1] or array.ndim != (3 if kind == "image" else 2):
        raise DataError(f"{path} is not the image that it should be: {array.shape}")
    if kind == "image":
        return array.astype(np.float32) / 255
    if kind == "label_7":
        return to_categories(array)
    return (array / DISPARITY_SCALE).astype(np.float32)
