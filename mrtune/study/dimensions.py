"""The searched parameters of a study, as far as its space and its trials tell."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mrtune.study.records import StudyRecord


@dataclass(frozen=True)
class Dimension:
    """A searched parameter: a range of numbers, or a list of choices."""

    name: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    whole: bool = False  # only whole numbers
    step: float | None = None  # from one value to the next
    choices: tuple[Any, ...] | None = None


def dimensions(record: StudyRecord) -> dict[str, Dimension]:
    """Return the parameters that some trial has, in the order of the space.

    A range that was left, or that nobody described, is taken from the values that were tried.
    """
    described = dict(_described(record.space.get("params", {})))
    tried: dict[str, dict[Any, None]] = {}
    for trial in record.trials:
        for name, value in trial.params.items():
            tried.setdefault(name, {})[value] = None
    names = [*(name for name in described if name in tried), *tried]
    return {name: _dimension(name, described.get(name, {}), tried[name]) for name in names}


def _described(params: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Name what Optuna chooses: a parameter that changes with depth has two ends."""
    for name, param in params.items():
        if not isinstance(param, Mapping):
            yield name, {"choices": param}
        elif "shallow" in param:
            yield from _described({f"{name}.{end}": param[end] for end in ("shallow", "deep")})
        else:
            yield name, param


def _dimension(name: str, described: Mapping[str, Any], tried: Iterable[Any]) -> Dimension:
    values = list(tried)
    numbers = all(type(value) in {int, float} for value in values)
    if "choices" in described or not numbers:
        choices = dict.fromkeys((*described.get("choices", ()), *values))
        return Dimension(name, choices=_in_order(tuple(choices)))
    low, high = min(values), max(values)
    whole = all(isinstance(value, int) for value in values)
    if "low" not in described or low < described["low"] or high > described["high"]:
        return Dimension(name, low, high, whole=whole)
    low, high, log = described["low"], described["high"], described.get("log", False)
    return Dimension(name, low, high, log, whole, described.get("step"))


def _in_order(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sort numbers; names keep the order of the space."""
    numbers = all(type(choice) in {int, float} for choice in choices)
    return tuple(sorted(choices)) if numbers else choices
