"""Values set from outside: `params.p.low=0.2` goes before what the file says."""

import copy
from collections.abc import Sequence
from typing import Any

from mrtune.search.space.mistake import Place


def override(
    data: dict[str, Any], settings: Sequence[tuple[str, Any]]
) -> tuple[dict[str, Any], dict[Place, str], list[str]]:
    """Return the data with all settings made, the places that were set, and what could not be.

    `params.p=null` takes a parameter out of the search.
    """
    data = copy.deepcopy(data)
    places: dict[Place, str] = {}
    faults = []
    for key, value in settings:
        place = tuple(int(part) if part.isdecimal() else part for part in key.split("."))
        try:
            _set(data, place, value)
        except LookupError as error:
            faults.append(f"-S {key}: {error.args[0]}")
        else:
            places[place] = key
    return data, places, faults


def _set(data: Any, place: Place, value: Any) -> None:
    for n, part in enumerate(place[:-1]):
        data = data.setdefault(part, {}) if isinstance(data, dict) else _item(data, part)
        if not isinstance(data, dict | list):
            outer = ".".join(map(str, place[: n + 1]))
            raise LookupError(f"{outer} holds no other values, it is {data!r}")
    last = place[-1]
    if isinstance(data, list):
        _item(data, last)
    if isinstance(data, dict) and place[:-1] == ("params",) and value is None:
        data.pop(last, None)
    else:
        data[last] = value


def _item(data: list[Any], part: str | int) -> Any:
    if not isinstance(part, int) or part >= len(data):
        raise LookupError(f"must name a position from 0 to {len(data) - 1}, got {part!r}")
    return data[part]
