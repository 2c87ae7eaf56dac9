"""Right and wrong answers of independent yes-or-no questions, counted per question."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

import torch
from torch import Tensor

from mrtune.errors import ParameterError
from mrtune.metrics.accumulator import check_shapes


class Counts(NamedTuple):
    """How the answers to one question turned out."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    not_a_number: int  # logits that are NaN where there is a label

    @property
    def labels(self) -> int:
        """Everything that had a label."""
        return sum(self)

    def share(self, part: int, whole: int) -> float:
        """Divide; nothing of nothing is 0 (scikit-learn's zero_division=0)."""
        if self.not_a_number:
            return float("nan")
        return part / whole if whole else 0.0

    @property
    def precision(self) -> float:
        """Share of the yeses that are right."""
        return self.share(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float:
        """Share of the positives that were found."""
        return self.share(self.true_positive, self.true_positive + self.false_negative)

    @property
    def f_score(self) -> float:
        """Harmonic mean of precision and recall."""
        wrong = self.false_positive + self.false_negative
        return self.share(2 * self.true_positive, 2 * self.true_positive + wrong)

    @property
    def union(self) -> int:
        """Everything that is positive by answer or by label."""
        return self.true_positive + self.false_positive + self.false_negative

    @property
    def iou(self) -> float:
        """Intersection over union of the positives."""
        return self.share(self.true_positive, self.union)

    @property
    def accuracy(self) -> float:
        """Share of the answers that are right."""
        return self.share(self.true_positive + self.true_negative, self.labels)


class BinaryCounter:
    """Counts answers (logit > 0, which is a sigmoid above 0.5) against labels (0 or 1).

    A label of NaN is missing; one of −1 too where `void` says so. Anything else is refused when
    the counts are read: on a GPU, a look at every batch would make it wait.
    """

    def __init__(self, names: Sequence[str], void: bool = False) -> None:
        if not names or len(set(names)) < len(names):
            raise ParameterError("names", "at least one, each of them once", list(names))
        self.names = tuple(names)
        self.void = void
        self._counts = torch.zeros(len(Counts._fields) + 1, len(names), dtype=torch.long)

    def update(self, logits: Tensor, target: Tensor) -> None:
        """Count a batch [sample, column, …]."""
        check_shapes(logits, target, len(self.names))
        positive, negative = target == 1, target == 0
        missing = target.isnan() | (target == -1) if self.void else target.isnan()
        yes, broken = logits > 0, logits.isnan()
        no = ~(yes | broken)
        kinds = (
            yes & positive,
            yes & negative,
            no & positive,
            no & negative,
            broken & (positive | negative),
            ~(positive | negative | missing),
        )
        others = [dim for dim in range(logits.dim()) if dim != 1]
        batch = torch.stack([kind.sum(dim=others) for kind in kinds])
        self._counts = self._counts.to(batch.device) + batch

    def columns(self) -> dict[str, Counts]:
        """Return the counts of each question."""
        *counts, strange = self._counts.tolist()
        if any(strange):
            missing = "-1 or NaN (void)" if self.void else "NaN (no label)"
            found = dict(zip(self.names, strange, strict=True))
            rule = f"0, 1 or {missing} everywhere"
            raise ParameterError("target", rule, {k: n for k, n in found.items() if n})
        return {
            name: Counts(*column)
            for name, column in zip(self.names, zip(*counts, strict=True), strict=True)
        }


def macro(values: Sequence[float]) -> float:
    """Average over columns; NaN if there are none."""
    return fmean(values) if values else float("nan")
