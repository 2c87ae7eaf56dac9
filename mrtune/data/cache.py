"""Decode once: a data set as memory maps that every process of a machine shares.

    <cache>/celeba.lock                    held by the one process that builds
    <cache>/celeba-<fingerprint>.<x>.tmp   being built; never served, swept by the next builder
    <cache>/celeba-<fingerprint>/          complete: it appears by a rename
        image.npy, label.npy, …            samples first
        name.npy, split.npy                which sample, of which split
        manifest.json                      shapes, checksums, samples that were skipped

A source that changes has another fingerprint, hence another folder; the old one is removed.
"""

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from mrtune.data.prepared import Array, Prepared
from mrtune.data.source import (
    FORMAT,
    Field,
    Progress,
    Source,
    Unreadable,
    file_hash,
    fingerprint,
    read_all,
    to_watcher,
)
from mrtune.data.splits import SPLITS
from mrtune.errors import DataError

MANIFEST = "manifest.json"
BESIDE = ".mrtune-cache"
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
MOST_SKIPPED = 0.1  # more is not a flaw of the set but a set that is not there


def home(root: Path) -> Path:
    """Return the folder for caches: MRTUNE_CACHE, beside the data, or the user's cache."""
    given = os.environ.get("MRTUNE_CACHE")
    if given:
        return Path(given)
    # Root may write anywhere; a folder without a write bit is protected all the same.
    if os.access(root, os.W_OK) and root.stat().st_mode & 0o222:
        return root / BESIDE
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mrtune"


def open_cached(source: Source, *, strict: bool, progress: Progress = to_watcher) -> Prepared:
    """Open the cache of a source; build it first if there is none, or none that is whole."""
    folder = _folder(source)
    manifest = _manifest(folder)
    if manifest is None:
        manifest = _build_once(source, folder, strict, progress)
    if strict and manifest["skipped"]:
        raise _strict_error(source, next(iter(manifest["skipped"].items())))
    return _open(folder, manifest)


def too_many(unreadable: int, listed: int) -> bool:
    """Say whether so few samples can be read that the set is not worth training on."""
    return unreadable > max(1, MOST_SKIPPED * listed)


def damage(source: Source) -> str | None:
    """Say what is wrong with the cache of a source by its checksums; None if it has no cache."""
    folder = _folder(source)
    manifest = _manifest(folder)
    if manifest is None:
        return None
    wrong = [
        name
        for name, entry in manifest["arrays"].items()
        if file_hash(folder / f"{name}.npy") != entry["sha256"]
    ]
    return f"wrong checksum: {', '.join(wrong)}" if wrong else ""


def _folder(source: Source) -> Path:
    """Return where the cache of a source is, or is to be.

    One beside the data serves those who may not write there as well.
    """
    name = f"{source.name}-{fingerprint(source)}"
    own, beside = home(source.folder) / name, source.folder / BESIDE / name
    return beside if _manifest(own) is None and _manifest(beside) else own


def _build_once(source: Source, folder: Path, strict: bool, progress: Progress) -> dict[str, Any]:
    """Build the cache, or wait for the process that builds it."""
    with _named_trouble(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.parent / f"{source.name}.lock"):
            manifest = _manifest(folder)
            if manifest is None:
                _sweep(source, folder.parent)
                manifest = _build(source, folder, strict, progress)
    return manifest


def _build(source: Source, folder: Path, strict: bool, progress: Progress) -> dict[str, Any]:
    _check_room(source, folder.parent)
    temporary = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".tmp", dir=folder.parent))
    try:
        manifest = _write(source, temporary, strict, progress)
        manifest |= {"fingerprint": folder.name.removeprefix(f"{source.name}-")}
        _write_durably(temporary / MANIFEST, json.dumps(manifest, indent=1).encode())
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        temporary.chmod(0o755)
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return manifest


def _write(source: Source, folder: Path, strict: bool, progress: Progress) -> dict[str, Any]:
    """Write the arrays of all samples that can be read; return the manifest."""
    fields = {
        **source.fields,
        "name": Field(f"S{max(len(name.encode()) for name in source.names)}", ()),
        "split": Field("int8", ()),
    }
    skipped: dict[str, str] = {}
    writers = {name: _Writer(folder / f"{name}.npy", field) for name, field in fields.items()}
    try:
        for name, part, sample in zip(
            source.names, source.parts, read_all(source, progress), strict=True
        ):
            if isinstance(sample, Unreadable):
                skipped[name] = str(sample)
                if strict:
                    raise _strict_error(source, (name, str(sample)))
                _check_skipped(source, skipped)
                continue
            whole = {**sample, "name": np.array(name.encode()), "split": SPLITS.index(part)}
            for key, writer in writers.items():
                writer.append(np.asarray(whole[key], writer.field.dtype))
        arrays = {key: writer.finish() for key, writer in writers.items()}
    finally:
        for writer in writers.values():
            writer.close()
    return {
        "format": FORMAT,
        "name": source.name,
        "source": str(source.folder.resolve()),
        "parameters": dict(source.parameters),
        "samples": len(source.names) - len(skipped),
        "skipped": skipped,
        "arrays": arrays,
    }


class _Writer:
    """Appends samples to an .npy file; plain writes, as a full disk kills who writes to a map."""

    def __init__(self, path: Path, field: Field) -> None:
        self.field = field
        self.count = 0
        self._file = path.open("w+b")
        self._start = self._header()

    def append(self, sample: Array) -> None:
        if sample.shape != self.field.shape:
            raise AssertionError(f"{self._file.name}: {sample.shape} is not {self.field.shape}")
        self._file.write(sample.tobytes())
        self.count += 1

    def finish(self) -> dict[str, Any]:
        """Write the header anew, now that the number of samples is known; return the entry."""
        self._file.seek(0)
        if self._header() != self._start:
            raise AssertionError("the header of an .npy file has changed its length")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.seek(0)
        digest = hashlib.file_digest(self._file, "sha256").hexdigest()
        return {"bytes": self._file.tell(), "sha256": digest}

    def close(self) -> None:
        with suppress(OSError):  # what a full disk left in the buffer is lost anyway
            self._file.close()

    def _header(self) -> int:
        """Write the header at the start; its length leaves room for any number of samples."""
        shape = (self.count, *self.field.shape)
        dtype = np.dtype(self.field.dtype).str
        description = {"descr": dtype, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, description)
        return self._file.tell()


def _manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a cache that is whole, else None."""
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        sizes = {name: (folder / f"{name}.npy").stat().st_size for name in manifest["arrays"]}
    except (OSError, ValueError, KeyError):
        return None
    whole = all(size == manifest["arrays"][name]["bytes"] for name, size in sizes.items())
    return manifest if whole and manifest["format"] == FORMAT else None


def _open(folder: Path, manifest: Mapping[str, Any]) -> Prepared:
    arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in manifest["arrays"]}
    names, split = arrays.pop("name"), arrays.pop("split")
    found = {part: np.flatnonzero(split == code) for code, part in enumerate(SPLITS)}
    return Prepared(
        name=manifest["name"],
        arrays=arrays,
        splits={part: where for part, where in found.items() if len(where)},
        names=names,
        fingerprint=manifest["fingerprint"],
        skipped=tuple(manifest["skipped"]),
        path=folder,
    )


def _sweep(source: Source, folder: Path) -> None:
    """Remove what a crash left, and caches of the same source as it was before it changed.

    Only the holder of the lock may: nobody else builds. Who has an old cache open keeps its maps.
    """
    for path in folder.glob(f"{source.name}-*"):
        manifest = None if path.suffix == ".tmp" else _manifest(path)
        same = manifest and (manifest["source"], manifest["parameters"]) == (
            str(source.folder.resolve()),
            dict(source.parameters),
        )
        if path.suffix == ".tmp" or same:
            shutil.rmtree(path, ignore_errors=True)


def _check_room(source: Source, folder: Path) -> None:
    """Refuse to start what cannot fit."""
    sample = sum(np.dtype(f.dtype).itemsize * prod(f.shape) for f in source.fields.values())
    needed, free = sample * len(source.names), shutil.disk_usage(folder).free
    if needed > free:
        raise DataError(
            f"the disk is too full for the cache of {source.name}: it needs {needed / 1e6:,.1f} MB "
            f"at {folder}, {free / 1e6:,.1f} MB are free; MRTUNE_CACHE moves it elsewhere"
        )


def _check_skipped(source: Source, skipped: Mapping[str, str]) -> None:
    """Stop once too much is unreadable for the set to be worth training on."""
    if too_many(len(skipped), len(source.names)):
        name, why = next(iter(skipped.items()))
        raise DataError(
            f"{source.folder}: more than {MOST_SKIPPED:.0%} of the {len(source.names)} samples "
            f"cannot be read, the first is {name}: {why}; `mrtune data check` lists them"
        )


def _strict_error(source: Source, skipped: tuple[str, str]) -> DataError:
    name, why = skipped
    return DataError(f"{source.folder}: {name} cannot be read: {why} (strict)")


@contextmanager
def _named_trouble(folder: Path) -> Iterator[None]:
    """Turn what a disk can do to a build into an error that says so."""
    try:
        yield
    except OSError as error:
        trouble = "the disk is full" if error.errno in FULL else error.strerror or str(error)
        raise DataError(
            f"cannot write the cache at {folder}: {trouble}; MRTUNE_CACHE moves it elsewhere"
        ) from error


def _write_durably(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
