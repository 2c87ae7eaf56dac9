"""Fashion-MNIST with 26 binary attributes in 8 groups: 4,000 images ship with mrtune."""

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrtune.data import roots
from mrtune.data.cache import open_cached
from mrtune.data.prepared import Array, Prepared
from mrtune.data.source import Field, Progress, Sample, file_hash, fingerprint, to_watcher
from mrtune.data.splits import carve, positions
from mrtune.errors import DataError

SHIPPED = Path(__file__).parent / "shipped"
IMAGES = "fashion_attr_4k.npz"
SHARES = {"held_out": 0.1, "val": 0.1}  # of train; the official test split is the test split

FILES = {
    (split, kind): f"{prefix}-{kind}-ubyte.gz"
    for split, prefix in (("train", "train"), ("test", "t10k"))
    for kind in ("images-idx3", "labels-idx1")
}

# Attributes that follow from the class. 0 T-shirt, 1 trouser, 2 pullover, 3 dress, 4 coat,
# 5 sandal, 6 shirt, 7 sneaker, 8 bag, 9 ankle boot.
OF_CLASSES: dict[str, tuple[int, ...]] = {
    "upper_body": (0, 2, 4, 6),
    "legs": (1,),
    "whole_body": (3,),
    "feet": (5, 7, 9),
    "carried": (8,),
    "long_sleeve": (2, 4, 6),
    "short_sleeve": (0,),
    "buttoned_or_zipped": (4, 6),
    "pull_over": (0, 2),
    "open_shoe": (5,),
    "low_shoe": (7,),
    "high_shoe": (9,),
    "cold_weather": (2, 4, 9),
    "warm_weather": (0, 5),
}
OBJECT = 26  # the first grey value above 0.1: what is brighter belongs to the garment
DARK = 102  # grey values below this are darker than 0.4
SIDE = 28
CLASSES = 10
AT_ONCE = 5000  # images measured at a time
IDX_BYTES = 0x0801  # the magic number of a list of unsigned bytes; one more per dimension


@cache
def _meta() -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((SHIPPED / "fashion_attr_meta.json").read_text())
    return meta


FASHION_ATTRIBUTES: tuple[str, ...] = tuple(_meta()["attributes"])
FASHION_GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(
        attribute
        for attribute, its in zip(FASHION_ATTRIBUTES, _meta()["groups"], strict=True)
        if its == group
    )
    for group in dict.fromkeys(_meta()["groups"])
}


def open_fashion(
    root: str | Path | None = None, strict: bool = False, progress: Progress = to_watcher
) -> Prepared:
    """Open the images that ship with mrtune, or all 70,000 where `root` has Debian's files.

    `image` uint8 [N, 28, 28, 1], `label` int8 [N, 26].
    """
    files = source(root)
    if root is not None:
        return open_cached(files, strict=strict, progress=progress)
    image, label = files.whole  # 3 MB: not worth a cache
    return Prepared(
        name=files.name,
        arrays={"image": image, "label": label},
        splits=positions(files.parts),
        names=np.array([name.encode() for name in files.names]),
        fingerprint=fingerprint(files),
        skipped=(),
        path=files.folder,
    )


def source(root: str | Path | None) -> "Fashion":
    """Return the set that ships with mrtune, or the full one under a folder."""
    if root is None:
        return Fashion(SHIPPED, (IMAGES,), _read_shipped)
    return Fashion(
        roots.resolve("fashion", root, (FILES["train", "images-idx3"],)),
        tuple(FILES.values()),
        _read_idx_files,
    )


def attributes(images: NDArray[np.uint8], classes: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return the 26 attributes of images [N, 28, 28]: of their class, or measured."""
    known = {name: np.isin(classes, members) for name, members in OF_CLASSES.items()}
    thresholds = _meta()["thresholds"]
    for name, value in _measures(images).items():
        known[name] = value > thresholds[name]
    return np.stack([known[name] for name in FASHION_ATTRIBUTES], axis=1).astype(np.int8)


def _measures(images: NDArray[np.uint8]) -> dict[str, NDArray[np.float64]]:
    """Measure images as measure.md says; sums are of integers, hence the same everywhere."""
    x = images.astype(np.int64)
    garment = images >= OBJECT
    pixels = garment.sum(axis=(1, 2))
    area = np.maximum(pixels, 1)
    height, width = _extent(garment), _extent(garment.transpose(0, 2, 1))
    total = np.maximum(x.sum(axis=(1, 2)), 1)
    mean = x.sum(axis=(1, 2)) / area  # over the garment, but it counts the little that is outside
    within = (x * garment).sum(axis=(1, 2))
    squares = (x * x * garment).sum(axis=(1, 2))
    variance = (squares - 2 * mean * within + pixels * mean * mean) / area
    across = np.abs(np.diff(x, axis=2)).sum(axis=(1, 2))
    along = np.abs(np.diff(x, axis=1)).sum(axis=(1, 2))
    return {
        "wide": width / SIDE,
        "tall": height / SIDE,
        "large_area": pixels / SIDE**2,
        "gappy_outline": (width * height - pixels) / SIDE**2,
        "bright": mean / 255,
        "contrasty": np.sqrt(np.maximum(variance, 0)) / 255,
        "top_heavy": x[:, : SIDE // 2].sum(axis=(1, 2)) / total,
        "dark_parts": (garment & (images < DARK)).sum(axis=(1, 2)) / area,
        "asymmetric": np.abs(x - x[:, :, ::-1]).sum(axis=(1, 2)) / total,
        "vertical_stripes": across / area / 255,
        "horizontal_stripes": along / area / 255,
        "vertical_over_horizontal": across / np.maximum(across + along, 1),
    }


def _extent(garment: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how far apart the first and the last row that it touches are, both counted."""
    touched = garment.max(axis=2)
    first = touched.argmax(axis=1)
    last = touched.shape[1] - touched[:, ::-1].argmax(axis=1)
    return np.where(touched.max(axis=1), last - first, 0)


@dataclass(frozen=True)
class Fashion:
    """An edition of the set: some files, and how to read images and classes from them."""

    folder: Path
    files: tuple[str, ...]
    read_split: Callable[[Path, str], tuple[Array, Array]]
    name: str = "fashion"

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """None."""
        return {}

    def evidence(self) -> Iterable[str]:
        """Yield the hashes of the files."""
        self._check_files()
        return [file_hash(self.folder / file) for file in self.files]

    @cached_property
    def names(self) -> Sequence[str]:
        """The images in the order of the files, as train/0, …, test/0, …"""
        return [
            f"{split}/{number}"
            for split, (images, _) in self._splits.items()
            for number in range(len(images))
        ]

    @cached_property
    def parts(self) -> Sequence[str]:
        """The official test split, and train carved up by the pixels.

        So an image is in the same split in both editions.
        """
        train, test = (images for images, _ in self._splits.values())
        return carve([image.tobytes() for image in train], SHARES) + ["test"] * len(test)

    @property
    def fields(self) -> Mapping[str, Field]:
        """An image and its attributes."""
        return {
            "image": Field("uint8", (SIDE, SIDE, 1)),
            "label": Field("int8", (len(FASHION_ATTRIBUTES),)),
        }

    def read(self, position: int) -> Sample:
        """Return an image that is in memory already."""
        image, label = self.whole
        return {"image": image[position], "label": label[position]}

    def findings(self, samples: Iterable[Sample]) -> Iterator[str]:
        """Yield attributes that are the same in all images."""
        labels = np.array([sample["label"] for sample in samples])
        for column in np.flatnonzero(labels.min(axis=0) == labels.max(axis=0)):
            yield f"{FASHION_ATTRIBUTES[column]} is {labels[0, column]} in all images"

    @cached_property
    def whole(self) -> tuple[Array, Array]:
        """All images [N, 28, 28, 1] and their attributes."""
        images = np.concatenate([images for images, _ in self._splits.values()])
        classes = np.concatenate([classes for _, classes in self._splits.values()])
        label = [
            attributes(images[start : start + AT_ONCE], classes[start : start + AT_ONCE])
            for start in range(0, len(images), AT_ONCE)
        ]
        return images[..., None], np.concatenate(label)

    def _check_files(self) -> None:
        for file in self.files:
            if not (self.folder / file).is_file():
                raise DataError(f"{self.folder / file} is missing")

    @cached_property
    def _splits(self) -> dict[str, tuple[Array, Array]]:
        self._check_files()
        splits = {split: self.read_split(self.folder, split) for split in ("train", "test")}
        for split, (images, classes) in splits.items():
            if not 0 < len(images) == len(classes):
                raise DataError(
                    f"{self.folder}: {split} has {len(images)} images and {len(classes)} labels"
                )
            if classes.max() >= CLASSES:
                raise DataError(f"{self.folder}: class {classes.max()} is not in 0..{CLASSES - 1}")
        return splits


def _read_shipped(folder: Path, split: str) -> tuple[Array, Array]:
    with np.load(folder / IMAGES) as stored:
        return stored[f"x_{split}"], stored[f"y_{split}"]


def _read_idx_files(folder: Path, split: str) -> tuple[Array, Array]:
    return (
        _read_idx(folder / FILES[split, "images-idx3"], (SIDE, SIDE)),
        _read_idx(folder / FILES[split, "labels-idx1"], ()),
    )


def _read_idx(path: Path, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Read a file of the IDX format: a magic number, the dimensions, the bytes."""
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    length = 4 * (2 + len(shape))
    header = np.frombuffer(content[:length].ljust(length, b"\0"), ">u4")
    if (header[0], *header[2:]) != (IDX_BYTES + len(shape), *shape):
        raise DataError(f"{path} is not an IDX file of unsigned bytes {shape or ''}".rstrip())
    pixels = np.frombuffer(content, np.uint8, offset=header.nbytes)
    if pixels.size != np.prod((header[1], *shape)):
        raise DataError(f"{path} is cut short: {pixels.size} bytes for {header[1]} items")
    return pixels.reshape(-1, *shape)
