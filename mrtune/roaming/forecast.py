"""When the plan of a whole network ends, and what share of it a training gets done."""

from collections.abc import Mapping
from dataclasses import dataclass

from mrtune.roaming.checks import check_count, check_share
from mrtune.roaming.partition import smallest_row
from mrtune.roaming.plan import Plan


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
    epochs: float
    end: float  # epoch at which the last layer is through (Lemma 1.1)

    @property
    def done(self) -> float:
        """Share of the network's swaps that is done when training ends."""
        swaps = sum(layer.swaps for layer in self.layers)
        return sum(layer.done * layer.swaps for layer in self.layers) / swaps if swaps else 1.0


def forecast(
    units: Mapping[str, int], tasks: int, p: float, plan: Plan, epochs: float | None = None
) -> Forecast:
    """Predict how a network's layers roam; without `epochs`, training lasts as long as the plan."""
    check_count("tasks", tasks)
    check_share("p", p)
    held = {name: smallest_row(size, tasks, p) for name, size in units.items()}
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
    return Forecast(layers, epochs, end)
