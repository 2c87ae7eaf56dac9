"""The trainer's own configuration as a point of a space: what every proposal has to beat."""

from typing import Any

from pydantic import BaseModel

from mrtune.methods import METHODS
from mrtune.search.space.dimension import Choice, Dimension, Scalar
from mrtune.search.space.space import Space
from mrtune.training import Recipe
from mrtune.training.resolve import load_trainer, with_defaults


def default_point(space: Space) -> dict[str, Scalar] | None:
    """Return Optuna's parameters of the trainer's defaults; None if the space is without them."""
    settings = with_defaults(load_trainer(space.trainer), space.fixed)
    known = {**_model_defaults(settings.get("method")), **settings}
    outside = False

    def choose(name: str, dimension: Dimension) -> Scalar:
        nonlocal outside
        value = _part(known, name)
        outside = outside or not _contains(dimension, value)
        return value

    point = space.walk(choose)
    return None if outside else point


def _model_defaults(method: Any) -> dict[str, Any]:
    models: list[type[BaseModel]] = [Recipe]
    if method in METHODS:
        models.append(METHODS[method])
    fields = {name: field for model in models for name, field in model.model_fields.items()}
    return {name: field.default for name, field in fields.items() if not field.is_required()}


def _part(known: dict[str, Any], name: str) -> Scalar:
    """Look a dimension up; one p for all layers is the same p at both ends."""
    key, _, end = name.partition(".")
    value = known.get(key)
    found: Scalar = value.get(end) if isinstance(value, dict) else value
    return found


def _contains(dimension: Dimension, value: Scalar) -> bool:
    if isinstance(dimension, Choice):
        return value in dimension.choices
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    values = dimension.values
    return value in values if values is not None else dimension.low <= value <= dimension.high
