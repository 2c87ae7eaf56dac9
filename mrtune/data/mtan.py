"""The preprocessed layout of the MTAN project: {train,val}/{image,label,depth,normal}/N.npy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from mrtune.data.prepared import Array
from mrtune.data.source import Field, Sample, Unreadable, listing
from mrtune.data.splits import carve
from mrtune.errors import DataError

DTYPES = {"image": "uint8", "label": "int8", "depth": "float32", "normal": "float16"}
VOID = -1
OTHER_VOID = 255  # as some write it
TOLERANCE = 0.01  # by which an image may leave 0..1
CHANNELS = 3


@dataclass(frozen=True)
class Mtan:
    """Scenes with a class, a depth and maybe a normal for each pixel."""

    name: str
    folder: Path
    classes: tuple[str, ...]
    kinds: tuple[str, ...]  # image, label, depth, maybe normal
    label_folders: tuple[str, ...] = ("label",)  # the first that exists

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """The classes that labels count."""
        return {"classes": len(self.classes)}

    def evidence(self) -> Iterable[str]:
        """Yield the name, size and time of every file."""
        for folder, files in self._files.items():
            yield from (f"{folder} {name} {stamp}" for name, stamp in files.items())

    @cached_property
    def names(self) -> Sequence[str]:
        """The scenes of which there is at least one file, as train/0, train/1, …, val/0, …"""
        names = []
        for split in ("train", "val"):
            files = {name for kind in self.kinds for name in self._files[f"{split}/{kind}"]}
            stems = {name.removesuffix(".npy") for name in files}
            if not stems:
                raise DataError(f"{self.folder / split} holds no .npy files")
            names += [f"{split}/{stem}" for stem in sorted(stems, key=lambda s: (len(s), s))]
        return names

    @cached_property
    def parts(self) -> Sequence[str]:
        """Train with a part held out, and val."""
        train = [name for name in self.names if name.startswith("train/")]
        return carve(train) + ["val"] * (len(self.names) - len(train))

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """Arrays of the height and width of the first image that can be read."""
        for name in self.names:
            try:
                height, width, _ = _hwc(self._load(name, "image")).shape
                break
            except Unreadable:
                continue
        else:
            raise DataError(f"{self.folder}: no image can be read")
        last = {"image": (CHANNELS,), "normal": (CHANNELS,)}
        return {
            kind: Field(DTYPES[kind], (height, width, *last.get(kind, ()))) for kind in self.kinds
        }

    def read(self, position: int) -> Sample:
        """Load the files of a scene, whatever the order of their axes."""
        name = self.names[position]
        sample = {}
        for kind in self.kinds:
            array = self._load(name, kind)
            try:
                array = self._normalise(kind, array)
            except Unreadable as why:
                raise Unreadable(f"{kind}: {why}") from why
            if array.shape != self.fields[kind].shape:
                raise Unreadable(f"{kind}: {array.shape} is not {self.fields[kind].shape}")
            sample[kind] = array
        return sample

    def findings(self, samples: Iterable[Sample]) -> Iterator[str]:
        """Yield classes that never occur, and targets that are unknown everywhere."""
        seen = np.zeros(len(self.classes), dtype=np.int64)
        known = dict.fromkeys(self.kinds, 0)
        for sample in samples:
            label = sample["label"]
            seen += np.bincount(label[label != VOID], minlength=len(seen))
            known["label"] += int(np.count_nonzero(label != VOID))
            for kind in set(self.kinds) - {"image", "label"}:
                known[kind] += int(np.count_nonzero(sample[kind]))
        for index in np.flatnonzero(seen == 0):
            yield f"class {index} ({self.classes[index]}) never occurs"
        for kind in self.kinds[1:]:
            if known[kind] == 0:
                yield f"{kind} is unknown everywhere"

    def _normalise(self, kind: str, array: Array) -> Array:
        if kind == "image":
            return _image(array)
        if kind == "label":
            return _label(array, len(self.classes))
        if kind == "depth":
            return np.nan_to_num(_flat(array), posinf=0).clip(min=0).astype(np.float32)
        normal = np.nan_to_num(_hwc(array), posinf=0, neginf=0)
        if normal.size and np.abs(normal).max() > 1 + TOLERANCE:
            raise Unreadable(f"{np.abs(normal).max():g} is not in -1..1")
        return normal.astype(np.float16)

    def _folder(self, split: str, kind: str) -> Path:
        if kind != "label":
            return self.folder / split / kind
        choices = [self.folder / split / name for name in self.label_folders]
        return next((choice for choice in choices if choice.is_dir()), choices[0])

    @cached_property
    def _files(self) -> dict[str, dict[str, str]]:
        folders = {
            f"{split}/{kind}": self._folder(split, kind)
            for split in ("train", "val")
            for kind in self.kinds
        }
        for folder in folders.values():
            if not folder.is_dir():
                raise DataError(f"{folder} is missing")
        return {key: listing(folder, ".npy") for key, folder in folders.items()}

    def _load(self, name: str, kind: str) -> Array:
        split, stem = name.split("/")
        path = self._folder(split, kind) / f"{stem}.npy"
        if not path.exists():
            raise Unreadable(f"no {path.parent.name}/{path.name}")
        try:
            array: Array = np.load(path)
        except (OSError, ValueError, EOFError) as error:
            raise Unreadable(f"{path.parent.name}/{path.name}: {error}") from error
        return array


def _image(array: Array) -> Array:
    array = _hwc(array)
    if array.dtype == np.uint8:
        return array
    low, high = float(array.min()), float(array.max())
    if not (low >= -TOLERANCE and high <= 1 + TOLERANCE):  # false for NaN as well
        raise Unreadable(f"values from {low:g} to {high:g} are not in 0..1")
    return (array.clip(0, 1) * 255).round().astype(np.uint8)


def _label(array: Array, classes: int) -> Array:
    array = np.nan_to_num(_flat(array).astype(np.float32), nan=VOID)
    array[array == OTHER_VOID] = VOID
    if array.min() < VOID or array.max() >= classes:
        odd = array.min() if array.min() < VOID else array.max()
        raise Unreadable(f"class {odd:g} is not in {VOID}..{classes - 1}")
    return array.astype(np.int8)


def _flat(array: Array) -> Array:
    """Drop a channel axis of length 1, first or last."""
    if array.ndim == CHANNELS and 1 in (array.shape[0], array.shape[-1]):
        array = array[0] if array.shape[0] == 1 else array[..., 0]
    if array.ndim != CHANNELS - 1 or not array.size:
        raise Unreadable(f"shape {array.shape} is not height × width")
    return array


def _hwc(array: Array) -> Array:
    """Put the channels last."""
    if array.ndim == CHANNELS and array.shape[-1] != CHANNELS and array.shape[0] == CHANNELS:
        array = np.moveaxis(array, 0, -1)
    if array.ndim != CHANNELS or array.shape[-1] != CHANNELS or not array.size:
        raise Unreadable(f"shape {array.shape} is not height × width × 3")
    return array
