"""Which samples of a training split are held out, decided by their names alone.

A hash of the name, not a generator or the order of a folder: the split is the same on every
machine, and a sample that is added or skipped moves no other.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

SPLITS = ("train", "held_out", "val", "test")
HELD_OUT = {"held_out": 0.1}  # the share of train that search selects on

SALT = "mrtune-1"  # a new salt is a new split: results before and after cannot be compared


def place(name: str | bytes) -> float:
    """Return the number in [0, 1) that decides the split of a sample."""
    key = name.encode() if isinstance(name, str) else name
    digest = hashlib.sha256(SALT.encode() + b":" + key).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def carve(names: Sequence[str | bytes], shares: Mapping[str, float] = HELD_OUT) -> list[str]:
    """Give each sample of a training split the part it belongs to.

    Where a set is too small for a part to get its share, the part still gets one sample.
    """
    places = [place(name) for name in names]
    parts = ["train"] * len(places)
    low = 0.0
    for part, share in shares.items():
        chosen = [i for i, at in enumerate(places) if low <= at < low + share]
        if not chosen and parts.count("train") > 1:
            left = (i for i, taken in enumerate(parts) if taken == "train")
            chosen = [min(left, key=places.__getitem__)]
        for i in chosen:
            parts[i] = part
        low += share
    return parts


def positions(parts: Iterable[str]) -> dict[str, NDArray[np.int64]]:
    """Return the positions of each split that has any, in the order train to test."""
    listed = np.asarray(list(parts))
    found = {split: np.flatnonzero(listed == split) for split in SPLITS}
    return {split: where for split, where in found.items() if len(where)}
