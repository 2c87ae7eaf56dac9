"""Every point of a space that can be counted."""

from mrtune.errors import UsageError
from mrtune.search.space.dimension import Scalar
from mrtune.search.space.space import Space


def grid(space: Space) -> list[dict[str, Scalar]]:
    """Return Optuna's parameters of every configuration, the first dimension varying slowest."""
    points: list[dict[str, Scalar]] = [{}]
    for name, dimension in space.dimensions.items():
        values = dimension.values
        if values is None:
            raise UsageError(f"params.{name}: a grid needs step or choices, this is a range")
        points = [
            following
            for point in points
            for following in (
                [{**point, name: value} for value in values]
                if space.holds(dimension.when, point)
                else [point]
            )
        ]
    return points
