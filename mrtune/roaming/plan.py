"""When a layer swaps, and how often: the update plan given by Δ or by its end, and r."""

from dataclasses import dataclass

from mrtune.errors import ParameterError
from mrtune.roaming import whole
from mrtune.roaming.checks import check_count, check_epochs, check_share


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Swaps a unit every `delta` epochs, or so often that all layers are through at `finish_at`."""

    batches_per_epoch: int
    delta: float | None = None
    finish_at: float | None = None
    r: float = 1.0

    def __post_init__(self) -> None:
        check_count("batches_per_epoch", self.batches_per_epoch)
        check_share("r", self.r)
        if (self.delta is None) == (self.finish_at is None):
            given = f"delta={self.delta}, finish_at={self.finish_at}"
            raise ParameterError("plan", "given by delta or by finish_at, one of them", given)
        if self.delta is not None:
            check_epochs("delta", self.delta)
        if self.finish_at is not None:
            check_epochs("finish_at", self.finish_at)

    def swaps(self, units: int, held: int) -> int:
        """Swaps that a task makes in a layer of `units` of which it holds `held`."""
        return round(self.r * (units - held)) if held else 0

    def interval(self, swaps: int) -> float:
        """Iterations from one swap to the next in a layer that makes `swaps` of them."""
        if self.delta is not None:
            return float(max(1, round(self.delta * self.batches_per_epoch)))
        assert self.finish_at is not None  # the constructor has checked it
        return max(1.0, self.finish_at * self.batches_per_epoch / max(1, swaps))

    def swaps_by(self, iteration: int, swaps: int) -> int:
        """Swaps, out of `swaps`, that are due once `iteration` iterations are done."""
        due = whole.floor(iteration / self.interval(swaps))
        while self.iteration_of(due, swaps) > iteration:  # a quotient rounds, a product decides
            due -= 1
        return min(swaps, due)

    def share_by(self, iteration: int, swaps: int) -> float:
        """Share of `swaps` that is done after `iteration` iterations; 1 if there are none."""
        return self.swaps_by(iteration, swaps) / swaps if swaps else 1.0

    def iteration_of(self, step: int, swaps: int) -> int:
        """Iterations done when the swap number `step`, out of `swaps`, takes place."""
        return whole.ceil(step * self.interval(swaps))

    def iterations(self, epochs: float) -> int:
        """Iterations that are done at an epoch."""
        return whole.floor(epochs * self.batches_per_epoch)

    def end(self, swaps: int) -> float:
        """Epoch at which a layer that makes `swaps` of them is through (Lemma 1.1)."""
        return self.iteration_of(swaps, swaps) / self.batches_per_epoch
