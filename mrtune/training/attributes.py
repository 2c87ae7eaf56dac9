"""Workloads of binary attributes in groups: each group is a task."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mrtune.data import Prepared
from mrtune.metrics import AttributeMetrics, Combined
from mrtune.nn import LinearHead
from mrtune.training.inputs import attribute_targets, image_batch
from mrtune.training.losses import binary_cross_entropy
from mrtune.training.workload import Samples, Task


class AttributeWorkload:
    """Pictures and what is to be said of them.

    The losses of the attributes of a group are averaged to form the loss of its task.
    """

    def __init__(
        self,
        data: Prepared,
        columns: Sequence[str],
        groups: Mapping[str, Sequence[str]],
        network: Callable[[], nn.Module],
        features: int,
    ) -> None:
        self.data = data
        self.network = network
        self.names = [name for group in groups.values() for name in group]
        self.tasks = [
            Task(name, partial(LinearHead, features, len(group)), binary_cross_entropy)
            for name, group in groups.items()
        ]
        self.splits = {name: Samples(at, self.fetch) for name, at in data.splits.items()}
        self._columns = [
            torch.tensor([columns.index(name) for name in group]) for group in groups.values()
        ]

    def fetch(self, positions: NDArray[np.int64]) -> tuple[Tensor, list[Tensor]]:
        """Return images, grey ones as three channels, and the attributes of each group."""
        images, labels = (self.data.arrays[key][positions] for key in ("image", "label"))
        return image_batch(images).expand(-1, 3, -1, -1), attribute_targets(labels, self._columns)

    def metrics(self) -> Combined:
        """Precision, recall and F of each attribute over the split, then their averages."""
        return Combined((AttributeMetrics(self.names), range(len(self.tasks))))
