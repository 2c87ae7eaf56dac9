"""Where the values of a parameter stand on an axis."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dashboards.theme import escape
from mrtune.study.dimensions import Dimension
from mrtune.wording import number

MOST_STEPS = 6
WIDE = 50  # a range of which powers of ten are enough to say
ROUND = (1, 2, 2.5, 5, 10)  # steps that people count in


@dataclass(frozen=True)
class Axis:
    """A parameter from 0, its smallest value or first choice, to 1."""

    dimension: Dimension

    @cached_property
    def _order(self) -> dict[Any, int]:
        return {choice: place for place, choice in enumerate(self.dimension.choices or ())}

    @property
    def title(self) -> str:
        """The name to write beside the axis."""
        return escape(self.dimension.name) + (" (log)" if self.dimension.log else "")

    def place(self, value: Any) -> float | None:
        """Return where a value stands."""
        d = self.dimension
        if d.choices is not None:
            last = len(d.choices) - 1
            return self._order[value] / last if last else 0.5
        if d.high == d.low:
            return 0.5
        if d.log:
            return math.log(value / d.low) / math.log(d.high / d.low)
        return float((value - d.low) / (d.high - d.low))

    def ticks(self) -> list[tuple[float, str]]:
        """Return a few values to write beside the axis, and where."""
        d = self.dimension
        values = d.choices if d.choices is not None else _round_values(d)
        return [(self.place(value) or 0.0, escape(number(value))) for value in values]

    def layout(self) -> dict[str, Any]:
        """Return plotly's words for an axis of this parameter."""
        d = self.dimension
        if d.choices is not None:
            names = [escape(number(choice)) for choice in d.choices]
            return {"type": "category", "categoryorder": "array", "categoryarray": names}
        if not d.log:
            return {"type": "linear"}
        powers = {"dtick": 1} if d.high / d.low > WIDE else {}
        return {"type": "log", "exponentformat": "power", **powers}

    def shown(self, value: Any) -> Any:
        """Return a value as plotly takes it."""
        return escape(number(value)) if self.dimension.choices is not None else value

    def edges(self, bins: int) -> list[float]:
        """Cut a range of numbers into equal parts, as the axis sees them."""
        d = self.dimension
        if d.log:
            return [float(edge) for edge in np.geomspace(d.low, d.high, bins + 1)]
        return [float(edge) for edge in np.linspace(d.low, d.high, bins + 1)]


def _round_values(dimension: Dimension) -> list[float]:
    low, high = dimension.low, dimension.high
    if low == high:
        return [low]
    if dimension.log and high / low > WIDE:
        powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        return [10.0**power for power in powers]
    size = 10.0 ** math.floor(math.log10((high - low) / MOST_STEPS))
    step = next(s * size for s in ROUND if (high - low) / (s * size) <= MOST_STEPS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]
