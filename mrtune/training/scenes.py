"""Workloads of scenes: every class of pixels is a task, and so are depth and surface normals."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from mrtune.data import Prepared
from mrtune.metrics import Accumulator, Combined, DepthMetrics, NormalMetrics, SegmentationMetrics
from mrtune.metrics.segmentation import Void
from mrtune.nn import DenseHead
from mrtune.training.inputs import class_targets, depth_target, image_batch, normal_target
from mrtune.training.losses import absolute_error, binary_cross_entropy, normal_misalignment
from mrtune.training.workload import Samples, Task


class SceneWorkload:
    """Scenes and what is to be said of their pixels; normals where the data set has them."""

    def __init__(
        self,
        data: Prepared,
        classes: Sequence[str],
        network: Callable[[], nn.Module],
        width: int,
        shrink: int = 1,
        void: Void = "ignore",
    ) -> None:
        self.data = data
        self.network = network
        self.classes = classes
        self.shrink = shrink
        self.void = void
        head = partial(DenseHead, width)
        self.tasks = [
            *(Task(name, partial(head, 1), binary_cross_entropy) for name in classes),
            Task("depth", partial(head, 1), absolute_error),
        ]
        if self._has_normals:
            self.tasks.append(Task("normals", partial(head, 3), normal_misalignment))
        self.splits = {name: Samples(at, self.fetch) for name, at in data.splits.items()}

    @property
    def _has_normals(self) -> bool:
        return "normal" in self.data.arrays

    def fetch(self, positions: NDArray[np.int64]) -> tuple[Tensor, list[Tensor]]:
        """Return images, a map for each class, depth, and normals where there are any."""
        n = self.shrink
        pixels = {key: array[positions][:, ::n, ::n] for key, array in self.data.arrays.items()}
        targets = class_targets(pixels["label"], len(self.classes), self.void)
        targets.append(depth_target(pixels["depth"]))
        if self._has_normals:
            targets.append(normal_target(pixels["normal"]))
        return image_batch(pixels["image"]), targets

    def metrics(self) -> Combined:
        """Segmentation over all classes, depth and normals over all valid pixels of the split."""
        classes = len(self.classes)
        parts: list[tuple[Accumulator, Sequence[int]]] = [
            (SegmentationMetrics(self.classes), range(classes)),
            (DepthMetrics(), [classes]),
        ]
        if self._has_normals:
            parts.append((NormalMetrics(), [classes + 1]))
        return Combined(*parts)
