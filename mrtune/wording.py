"""Values in words, the same on the terminal and on every page."""

from collections.abc import Mapping
from math import isfinite, isnan
from typing import Any


def number(value: Any) -> str:
    """Write a value as a person would: four digits that mean something."""
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {number(inner)}" for key, inner in value.items()) + "}"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if isfinite(value) else "–"


def storable(value: float) -> float | None:
    """Return a number as JSON can hold it, which knows neither NaN nor infinity."""
    return value if isfinite(value) else None


def spread(mean: float, std: float) -> str:
    """Write mean ± std, or the mean alone where there is no std."""
    if not isfinite(mean):
        return "–"
    return f"{mean:.4f} ± {std:.4f}" if isfinite(std) else f"{mean:.4f}"


def settings(params: Mapping[str, Any]) -> str:
    """Write parameters on one line."""
    return "  ".join(f"{key}={number(value)}" for key, value in params.items())


def duration(seconds: float) -> str:
    """Write a time: 45 s, 12 min, 3 h 20 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def chance(p: float) -> str:
    """Write a p-value."""
    if isnan(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def signed(value: float, digits: int = 4) -> str:
    """Write a difference with its sign."""
    return "–" if isnan(value) else f"{value:+.{digits}f}".replace("-", "−")
