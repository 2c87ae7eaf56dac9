"""When the plan of a whole network ends, and what share of it a training gets done."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from mrtune.roaming.checks import check_count
from mrtune.roaming.partition import smallest_row
from mrtune.roaming.plan import Plan
from mrtune.roaming.ratios import Ratio, ratio_of_each


@dataclass(frozen=True)
class LayerForecast:
    """The plan of one layer: how many swaps each task makes, how often, and until when."""

    name: str
    units: int
    held: int
    swaps: int
    interval: float  # iterations
    end: float  # epoch
    done: float  # share of the swaps that is done when training ends


@dataclass(frozen=True)
class Forecast:
    """The plan of a network over a training of `epochs`."""

    layers: tuple[LayerForecast, ...]
    plan: Plan
    epochs: float
    end: float  # epoch at which the last layer is through (Lemma 1.1)

    @property
    def done(self) -> float:
        """Share of the network's swaps that is done when training ends."""
        return self.completion(self.epochs)

    def completion(self, epoch: float) -> float:
        """Share of the network's swaps that is done at an epoch."""
        return self._completion_after(self.plan.iterations(epoch))

    def epoch_of(self, share: float) -> float:
        """Epoch at which a share of the network's swaps is done."""
        iterations = range(self.plan.iterations(self.end) + 1)
        return (
            bisect_left(iterations, share, key=self._completion_after) / self.plan.batches_per_epoch
        )

    def _completion_after(self, iterations: int) -> float:
        planned = sum(layer.swaps for layer in self.layers)
        done = sum(self.plan.swaps_by(iterations, layer.swaps) for layer in self.layers)
        return done / planned if planned else 1.0


def forecast(
    units: Mapping[str, int], tasks: int, p: Ratio, plan: Plan, epochs: float | None = None
) -> Forecast:
    """Predict how a network's layers roam; without `epochs`, training lasts as long as the plan."""
    check_count("tasks", tasks)
    ratio = ratio_of_each(units, p)
    held = {name: smallest_row(size, tasks, ratio[name]) for name, size in units.items()}
    swaps = {name: plan.swaps(size, held[name]) for name, size in units.items()}
    end = max(plan.end(count) for count in swaps.values())
    epochs = end if epochs is None else epochs
    iterations = plan.iterations(epochs)
    layers = tuple(
        LayerForecast(
            name=name,
            units=size,
            held=held[name],
            swaps=swaps[name],
            interval=plan.interval(swaps[name]),
            end=plan.end(swaps[name]),
            done=plan.share_by(iterations, swaps[name]),
        )
        for name, size in units.items()
    )
    return Forecast(layers, plan, epochs, end)
