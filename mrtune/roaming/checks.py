"""Rules that parameters of the roaming core must keep."""

import math
from collections.abc import Collection

from mrtune.errors import ParameterError

LONGEST = 1e6  # epochs; beyond it, products with batches stop being exact


def check_share(name: str, value: float) -> None:
    """Refuse anything but a number from 0 to 1."""
    if not (_is_number(value) and 0.0 <= value <= 1.0):
        raise ParameterError(name, "a number from 0 to 1", value)


def check_count(name: str, value: int) -> None:
    """Refuse anything but a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ParameterError(name, "a whole number of at least 1", value)


def check_epochs(name: str, value: float) -> None:
    """Refuse anything but a number of epochs above 0."""
    if not (_is_number(value) and 0 < value <= LONGEST):
        raise ParameterError(name, f"a number above 0 and at most {LONGEST:g}", value)


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Refuse anything but one of the known names."""
    if value not in choices:
        raise ParameterError(name, f"one of {', '.join(choices)}", value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
