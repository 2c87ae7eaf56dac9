"""Configurations that stand for a whole space: its centre, and its slowest roaming."""

from typing import Any

from mrtune.search.space.dimension import Choice, Dimension, Scalar
from mrtune.search.space.space import Space

ROAMING = "mr"
# The end of each dimension at which roaming takes longest.
SLOWEST = {"p": 0, "p.shallow": 0, "p.deep": 0, "delta": 1, "finish_at": 1, "r": 1, "batch_size": 1}


def typical(space: Space) -> dict[str, Any]:
    """Return the configuration in the centre of a space; it roams if any does."""
    return space.config(space.walk(_centre))


def slowest(space: Space) -> dict[str, Any]:
    """Return the configuration whose roaming takes longest."""
    return space.config(space.walk(_slow_end))


def _centre(name: str, dimension: Dimension) -> Scalar:
    if name == "method" and isinstance(dimension, Choice) and ROAMING in dimension.choices:
        return ROAMING
    return dimension.centre


def _slow_end(name: str, dimension: Dimension) -> Scalar:
    return dimension.ends[SLOWEST[name]] if name in SLOWEST else _centre(name, dimension)
