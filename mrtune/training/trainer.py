"""The contract between whoever trains and whoever searches."""

from collections.abc import Mapping
from typing import Any, Protocol


class Trainer(Protocol):
    """Any training that can be reported on, saved and continued.

    A file that offers `build(config, seed, device) -> Trainer` can be trained and searched;
    `config` is a flat mapping of plain values.
    """

    @property
    def finished(self) -> bool:
        """Whether the training has reached its end."""

    def step(self) -> dict[str, float]:
        """Train for one reporting interval and return the metrics, `epoch` among them."""

    def evaluate(self, split: str) -> dict[str, float]:
        """Return the metrics of a split; empty where there is no such split."""

    def state(self) -> dict[str, Any]:
        """Return everything that a continuation needs, as plain data and tensors."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state as if nothing had happened."""
