"""A data set that is ready to train on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Samples as read-only arrays that all processes of a machine share, and their splits.

    Search trains on `train`, selects on `held_out`, reports on `val`; `test`, where there is one,
    is for the final figure.
    """

    name: str
    arrays: Mapping[str, Array]  # samples first
    splits: Mapping[str, NDArray[np.int64]]  # positions, ascending
    names: Array  # bytes [sample]
    fingerprint: str
    skipped: tuple[str, ...]  # samples that could not be read
    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))
        object.__setattr__(self, "splits", MappingProxyType(dict(self.splits)))
        for array in (*self.arrays.values(), *self.splits.values(), self.names):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.names)
