"""Segmentation as independent binary tasks: IoU and pixel accuracy, averaged over classes."""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

from mrtune.errors import ParameterError
from mrtune.metrics.binary import BinaryCounter, macro

Void = Literal["ignore", "negative"]


class SegmentationMetrics:
    """Per class over the whole split, then the average over classes.

    A class that is neither in the split nor predicted has no IoU (NaN) and no part in the average;
    one without a labelled pixel has no pixel accuracy either.
    """

    def __init__(self, names: Sequence[str], void: Void = "ignore") -> None:
        if void not in get_args(Void):
            raise ParameterError("void", f"one of {', '.join(get_args(Void))}", void)
        self.void = void
        self.counter = BinaryCounter(names, void=True)

    def update(self, output: Tensor, target: Tensor) -> None:
        """Take logits [image, class, height, width] and labels of that shape into account.

        A label is 0 or 1, and −1 or NaN in void pixels.
        """
        if self.void == "negative":
            target = torch.where(target.isnan() | (target == -1), 0, target)
        self.counter.update(output, target)

    def compute(self) -> dict[str, float]:
        """Return the averages, and `iou/<class>` for each."""
        columns = self.counter.columns()
        # A logit that is not a number might have been a yes: its class counts as predicted.
        seen = {name for name, counts in columns.items() if counts.union or counts.not_a_number}
        averages = {
            "miou": macro([columns[name].iou for name in columns if name in seen]),
            "pixel_accuracy": macro([c.accuracy for c in columns.values() if c.labels]),
        }
        return averages | {
            f"iou/{name}": counts.iou if name in seen else float("nan")
            for name, counts in columns.items()
        }
