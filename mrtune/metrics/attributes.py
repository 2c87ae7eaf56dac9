"""Multi-label attributes: precision, recall, F and accuracy, averaged over attributes."""

from collections.abc import Sequence

from torch import Tensor

from mrtune.metrics.binary import BinaryCounter, macro


class AttributeMetrics:
    """Per attribute over the whole split, then the average over attributes (macro).

    An attribute without any label in the split has no F (NaN) and no part in the averages.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.counter = BinaryCounter(names)

    def update(self, output: Tensor, target: Tensor) -> None:
        """Take logits [sample, attribute] and labels (0, 1, NaN where missing) into account."""
        self.counter.update(output, target)

    def compute(self) -> dict[str, float]:
        """Return the averages, and `f/<attribute>` for each."""
        columns = self.counter.columns()
        labelled = [counts for counts in columns.values() if counts.labels]
        averages = {
            "precision": macro([counts.precision for counts in labelled]),
            "recall": macro([counts.recall for counts in labelled]),
            "f_score": macro([counts.f_score for counts in labelled]),
            "accuracy": macro([counts.accuracy for counts in labelled]),
        }
        return averages | {
            f"f/{name}": counts.f_score if counts.labels else float("nan")
            for name, counts in columns.items()
        }
