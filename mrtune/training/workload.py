"""What is to be learnt: tasks, data, a network, metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn


@dataclass(frozen=True)
class Task:
    """One task: its head on the shared features, and its loss.

    The loss takes output and target and returns a scalar; it skips what has no label.
    """

    name: str
    head: Callable[[], nn.Module]
    loss: Callable[[Tensor, Tensor], Tensor]


class Split(Protocol):
    """A part of a data set, drawn from by position."""

    def __len__(self) -> int:
        """Count the samples."""

    def batch(self, positions: Tensor) -> tuple[Tensor, Sequence[Tensor]]:
        """Return the inputs and, for each task, the targets of some samples."""


@dataclass(frozen=True)
class Samples:
    """A split of arrays that are indexed by position."""

    positions: NDArray[np.int64]
    fetch: Callable[[NDArray[np.int64]], tuple[Tensor, Sequence[Tensor]]]

    def __len__(self) -> int:
        return len(self.positions)

    def batch(self, positions: Tensor) -> tuple[Tensor, Sequence[Tensor]]:
        """Return the inputs and, for each task, the targets of some samples."""
        return self.fetch(self.positions[positions.numpy()])


class Metrics(Protocol):
    """A running account of outputs against targets."""

    def update(self, outputs: Sequence[Tensor], targets: Sequence[Tensor]) -> None:
        """Take a batch into account."""

    def compute(self) -> dict[str, float]:
        """Return the metrics of all that was seen."""


class Workload(Protocol):
    """Everything about a problem that does not depend on how it is trained.

    Of its splits, `train` is learnt from and `held_out` is what reports are about; `val` and
    `test`, where there are any, are looked at when all is done.
    """

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks, in the order of their targets."""

    @property
    def splits(self) -> Mapping[str, Split]:
        """The parts of the data."""

    def network(self) -> nn.Module:
        """Build the network whose features the tasks share."""

    def metrics(self) -> Metrics:
        """Open a new account."""
