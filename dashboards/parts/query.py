"""Reads the values of a page's address; what makes no sense there falls back to the default."""

from collections.abc import Iterable, Mapping


def picked(query: Mapping[str, str], key: str, options: Iterable[str], default: str) -> str:
    """Return which of a few values the address asks for."""
    value = query.get(key, default)
    return value if value in set(options) else default


def whole_number(query: Mapping[str, str], key: str) -> int | None:
    """Return a whole number, 0 or above, if the address has one."""
    value = query.get(key, "").strip()
    return int(value) if value.isdecimal() and value.isascii() and len(value) < 10 else None
