"""Celeb-A in its official layout: 40 binary attributes of faces, in the paper's 8 groups."""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mrtune.data import roots, zips
from mrtune.data.cache import open_cached
from mrtune.data.prepared import Prepared
from mrtune.data.source import Field, Progress, Sample, Unreadable, file_hash, listing, to_watcher
from mrtune.data.splits import carve
from mrtune.errors import DataError, ParameterError

IMAGES = "img_align_celeba"
ATTRIBUTES_FILE = "list_attr_celeba.txt"
PARTITION_FILE = "list_eval_partition.txt"

# The paper's appendix, "Class composition of each of the tasks for the Celeb-A dataset".
CELEBA_GROUPS: dict[str, tuple[str, ...]] = {
    "global": (
        "Attractive",
        "Blurry",
        "Chubby",
        "Double_Chin",
        "Heavy_Makeup",
        "Male",
        "Oval_Face",
        "Pale_Skin",
        "Young",
    ),
    "eyes": (
        "Bags_Under_Eyes",
        "Eyeglasses",
        "Narrow_Eyes",
        "Arched_Eyebrows",
        "Bushy_Eyebrows",
    ),
    "hair": (
        "Bald",
        "Bangs",
        "Black_Hair",
        "Blond_Hair",
        "Brown_Hair",
        "Gray_Hair",
        "Receding_Hairline",
        "Straight_Hair",
        "Wavy_Hair",
    ),
    "mouth": ("Big_Lips", "Mouth_Slightly_Open", "Smiling", "Wearing_Lipstick"),
    "nose": ("Big_Nose", "Pointy_Nose"),
    "beard": ("5_o_Clock_Shadow", "Goatee", "Mustache", "No_Beard", "Sideburns"),
    "cheeks": ("High_Cheekbones", "Rosy_Cheeks"),
    "wearings": ("Wearing_Earrings", "Wearing_Hat", "Wearing_Necklace", "Wearing_Necktie"),
}

# The columns of `label`, in the order of the official file, which is alphabetical.
CELEBA_ATTRIBUTES = tuple(sorted(chain.from_iterable(CELEBA_GROUPS.values())))

PARTS = {"0": "train", "1": "val", "2": "test"}
SIGNS = {"1": 1, "-1": 0}
BROKEN = (
    OSError,
    SyntaxError,  # what Pillow raises on some broken files
    ValueError,
    EOFError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
    Image.DecompressionBombError,
)


def open_celeba(
    root: str | Path | None = None,
    size: int = 64,
    strict: bool = False,
    progress: Progress = to_watcher,
) -> Prepared:
    """Open Celeb-A: `image` uint8 [N, size, size, 3], `label` int8 [N, 40] in {0, 1}."""
    return open_cached(source(root, size), strict=strict, progress=progress)


def source(root: str | Path | None, size: int = 64) -> "CelebA":
    """Return the data set under a folder, or on the search path."""
    return CelebA(roots.resolve("celeba", root), size)


@dataclass(frozen=True)
class CelebA:
    """The official release: a folder of JPEGs or the zip with them, and two text files."""

    folder: Path
    size: int = 64
    name: str = "celeba"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ParameterError("size", "a positive number of pixels", self.size)

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """The side of the images."""
        return {"size": self.size}

    def evidence(self) -> Iterable[str]:
        """Yield the hashes of the text files, and what tells the images from others."""
        yield from (file_hash(self._file(name)) for name in (ATTRIBUTES_FILE, PARTITION_FILE))
        yield from self.images.evidence()

    @cached_property
    def images(self) -> "_Folder | _Zip":
        """The JPEGs: in a folder if that holds them, else in the zip."""
        folder, archive = self.folder / IMAGES, self.folder / f"{IMAGES}.zip"
        nested = folder / IMAGES  # as some archives unpack
        unpacked = _Folder(nested if nested.is_dir() else folder) if folder.is_dir() else None
        if archive.is_file() and not (unpacked and unpacked.entries):
            return _Zip(archive)
        return unpacked or _Folder(folder)

    @cached_property
    def names(self) -> Sequence[str]:
        """The images that the attribute file lists."""
        return list(self._labels)

    @cached_property
    def parts(self) -> Sequence[str]:
        """The official split of each image, with a part of train held out."""
        official = [self._partition[name] for name in self.names]
        train = [name for name, part in zip(self.names, official, strict=True) if part == "train"]
        carved = dict(zip(train, carve(train), strict=True))
        return [carved.get(name, part) for name, part in zip(self.names, official, strict=True)]

    @property
    def fields(self) -> Mapping[str, Field]:
        """An image and its 40 attributes."""
        return {
            "image": Field("uint8", (self.size, self.size, 3)),
            "label": Field("int8", (len(CELEBA_ATTRIBUTES),)),
        }

    def read(self, position: int) -> Sample:
        """Decode one image and resize it."""
        name = self.names[position]
        if name not in self.images.entries:
            raise Unreadable("no such image")
        try:
            image = decode(self.images.content(name), self.size)
        except BROKEN as error:
            raise Unreadable(f"{error}" or type(error).__name__) from error
        return {"image": image, "label": self._labels[name]}

    def findings(self, samples: Iterable[Sample]) -> Iterator[str]:
        """Yield attributes that are the same in all images, and images that no file lists."""
        labels = np.array([sample["label"] for sample in samples])
        if len(labels):
            constant = np.flatnonzero(labels.min(axis=0) == labels.max(axis=0))
            for column in constant:
                yield f"{CELEBA_ATTRIBUTES[column]} is {labels[0, column]} in all images"
        unlisted = set(self.images.entries) - set(self._labels)
        if unlisted:
            yield f"{len(unlisted)} images are not listed, the first is {min(unlisted)}"

    def _file(self, name: str) -> Path:
        if not (self.folder / name).is_file():
            raise DataError(f"{self.folder / name} is missing")
        return self.folder / name

    @cached_property
    def _labels(self) -> dict[str, NDArray[np.int8]]:
        path = self._file(ATTRIBUTES_FILE)
        lines = path.read_text().splitlines()
        columns = lines[1].split() if len(lines) > 1 else []
        if sorted(columns) != sorted(CELEBA_ATTRIBUTES):
            odd = sorted(set(columns) ^ set(CELEBA_ATTRIBUTES))
            raise DataError(
                f"{path}:2: must name the 40 attributes, got {len(columns)} names; "
                f"missing or unknown: {', '.join(odd[:3])}"
            )
        order = [columns.index(name) for name in CELEBA_ATTRIBUTES]
        labels = {}
        for number, line in enumerate(lines[2:], start=3):
            name, *values = line.split() or [""]
            if len(values) == len(columns) and all(value in SIGNS for value in values):
                row = np.array([SIGNS[value] for value in values], dtype=np.int8)
                labels[name] = row[order]
            elif name:
                raise DataError(f"{path}:{number}: {name} must have 40 values, each 1 or -1")
        if not labels:
            raise DataError(f"{path} lists no images")
        return labels

    @cached_property
    def _partition(self) -> dict[str, str]:
        path = self._file(PARTITION_FILE)
        parts = {}
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            name, *rest = line.split() or [""]
            if len(rest) == 1 and rest[0] in PARTS:
                parts[name] = PARTS[rest[0]]
            elif name:
                raise DataError(f"{path}:{number}: must be a name and 0, 1 or 2, got {line!r}")
        lacking = [name for name in self._labels if name not in parts]
        if lacking:
            raise DataError(f"{path} lacks {len(lacking)} images, the first is {lacking[0]}")
        return parts


def decode(content: bytes, size: int) -> NDArray[np.uint8]:
    """Decode an image and squeeze it into a square, as the paper does."""
    with Image.open(io.BytesIO(content)) as image:
        whole = image.convert("RGB")
    return np.asarray(whole.resize((size, size), Image.Resampling.BILINEAR))


@dataclass(frozen=True)
class _Folder:
    path: Path

    def evidence(self) -> Iterable[str]:
        return (f"{name} {stamp}" for name, stamp in self.entries.items())

    @cached_property
    def entries(self) -> Mapping[str, str]:
        return listing(self.path, ".jpg") if self.path.is_dir() else {}

    def content(self, name: str) -> bytes:
        return (self.path / name).read_bytes()


@dataclass(frozen=True)
class _Zip:
    path: Path

    def evidence(self) -> Iterable[str]:
        return [hashlib.sha256(zips.central_directory(self.path)).hexdigest()]

    @cached_property
    def entries(self) -> Mapping[str, zipfile.ZipInfo]:
        """The images by their bare names, whatever folder the archive has them in."""
        entries = ((PurePosixPath(entry.filename), entry) for entry in self._archive.infolist())
        return {
            path.name: entry
            for path, entry in entries
            if path.suffix.lower() == ".jpg" and not path.name.startswith("._")
        }

    def content(self, name: str) -> bytes:
        return self._archive.read(self.entries[name])

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, OSError) as error:
            raise DataError(f"{self.path} cannot be read: {error}") from error
