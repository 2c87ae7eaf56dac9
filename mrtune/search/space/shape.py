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
PARAM_RULE = "must be a mapping with low and high, or with choices, or a list of choices"


def shape_mistakes(data: dict[str, Any]) -> list[Mistake]:
    """Return everything in which the data does not fit the model."""
    try:
        Space.model_validate(data)
    except ValidationError as error:
        return [_mistake(detail) for detail in error.errors()]
    return []


def _mistake(detail: Any) -> Mistake:  # pydantic's ErrorDetails
    loc: Place = detail["loc"]
    place = tuple(part for part in loc if not is_tag(part))
    match detail["type"]:
        case "extra_forbidden":
            model = next((MODELS[part] for part in reversed(loc[:-1]) if part in MODELS), Space)
            known = [field.alias or name for name, field in model.model_fields.items()]
            return Mistake(place, f"unknown key {loc[-1]!r}; {did_you_mean(str(loc[-1]), known)}")
        case "missing" if place[-1] == "direction" and isinstance(detail["input"], dict):
            metric = detail["input"].get("metric")
            hint = did_you_mean(str(metric), KNOWN)
            rule = f"no metric {metric!r} of ours; {hint} Any other needs a direction"
            return Mistake(place[:-1], rule)
        case "missing":
            return Mistake(place[:-1], f"{place[-1]} is missing")
        case "model_type" if place[0] == "params":
            return Mistake(place, PARAM_RULE, detail["input"])
    return Mistake(place, rule_of({**detail, "loc": ()}), detail["input"])


def without(data: dict[str, Any], mistakes: list[Mistake]) -> Space | None:
    """Return the sound part of the data, to be looked at for mistakes of other kinds.

    What cannot be left out is made up; without a trainer there is nothing to look at.
    """
    bad = {m.place[: 2 if m.place[:1] == ("params",) else 1] for m in mistakes}
    kept = {key: value for key, value in data.items() if (key,) not in bad}
    if isinstance(kept.get("params"), dict):
        params = kept["params"].items()
        kept["params"] = {name: param for name, param in params if ("params", name) not in bad}
    if "trainer" not in kept:
        return None
    made_up = {"objective": "loss", "budget": {"epochs": 1e6}, "params": {}}
    return Space.model_validate({**made_up, **kept})
