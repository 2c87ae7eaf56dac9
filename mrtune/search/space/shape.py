"""Mistakes in the shape of a search space: keys and values that do not fit the model."""

from typing import Any

from pydantic import BaseModel, ValidationError

from mrtune.config import did_you_mean, is_tag, rule_of
from mrtune.search.space.dimension import Choice, FloatRange, IntRange
from mrtune.search.space.mistake import Mistake, Place
from mrtune.search.space.objective import KNOWN, Objective
from mrtune.search.space.param import ByDepth
from mrtune.search.space.space import Budget, Resources, Space

# The models by the last part of a place that names one.
MODELS: dict[str | int, type[BaseModel]] = {
    "budget": Budget,
    "resources": Resources,
    "objective": Objective,
    "<float>": FloatRange,
    "<int>": IntRange,
    "<choice>": Choice,
    "<depth>": ByDepth,
}
# What must stand at the outermost keys where pydantic would speak of its classes.
MUST_BE: dict[str | int, str] = {
    "params": "a mapping with low and high, or with choices, or a list of choices",
    "objective": "a metric, a mapping with metric and direction, or a list of these",
}


def shape_mistakes(data: dict[str, Any]) -> list[Mistake]:
    """Return everything in which the data does not fit the model."""
    try:
        Space.model_validate(data)
    except ValidationError as error:
        return [_mistake(detail) for detail in error.errors() if not _follows(detail)]
    return []


def _follows(detail: Any) -> bool:  # pydantic's ErrorDetails
    """Whether a mistake comes of another one: a default, or a direction, that hangs on a value."""
    if detail["type"] == "missing" and detail["loc"][-1] == "direction":
        return "metric" not in detail["input"]
    return bool(detail["type"] == "default_factory_not_called")


def _mistake(detail: Any) -> Mistake:
    place = tuple(part for part in detail["loc"] if not is_tag(part))
    match detail["type"]:
        case "extra_forbidden":
            return Mistake(place, _unknown(detail["loc"]))
        case "missing":
            return Mistake(place[:-1], _missing(place, detail["input"]))
    return Mistake(place, _broken(place, detail), detail["input"])


def _unknown(loc: Place) -> str:
    model = next((MODELS[part] for part in reversed(loc[:-1]) if part in MODELS), Space)
    known = [field.alias or name for name, field in model.model_fields.items()]
    return f"unknown key {loc[-1]!r}; {did_you_mean(str(loc[-1]), known)}"


def _missing(place: Place, among: Any) -> str:
    if place[-1] == "direction" and isinstance(among, dict):
        metric = among.get("metric")
        hint = did_you_mean(str(metric), KNOWN)
        return f"no metric {metric!r} of ours; {hint} (any other needs a direction)"
    return f"{place[-1]} is missing"


def _broken(place: Place, detail: Any) -> str:
    match detail["type"]:
        case "literal_error" if place[-1] == "type":
            return "should be 'float' or 'int'"
        case "model_type" | "model_attributes_type" | "union_tag_invalid":
            return f"must be {MUST_BE.get(place[0], 'a mapping')}"
        case "dict_type":
            return "must be a mapping"
    return rule_of({**detail, "loc": ()})


def without(data: dict[str, Any], mistakes: list[Mistake]) -> Space | None:
    """Return the sound part of the data, to be looked at for mistakes of other kinds.

    What cannot be left out is made up; without a trainer there is nothing to look at.
    """
    bad = {m.place[: 2 if m.place[:1] == ("params",) else 1] for m in mistakes}
    kept = {key: value for key, value in data.items() if (key,) not in bad}
    if isinstance(kept.get("params"), dict):
        named = kept["params"].items()
        kept["params"] = {name: param for name, param in named if ("params", name) not in bad}
    if "trainer" not in kept:
        return None
    made_up = {"objective": "loss", "budget": {"epochs": 1e6}}
    params = kept.get("params") or {"lr": [1e-3]}
    return Space.model_validate({**made_up, **kept, "params": params})
