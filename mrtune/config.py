"""Plain configurations, checked: every mistake at once, by name, rule and value."""

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mrtune.errors import UsageError

Model = TypeVar("Model", bound=BaseModel)


def parse_setting(text: str) -> tuple[str, Any]:
    """Read `key=value`, the value as JSON where it is JSON and as text where it is not."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageError(f"-S must be key=value, got {text!r}")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def check_keys(config: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse keys that nobody knows, with a suggestion for each."""
    known = sorted(known)
    unknown = [_unknown(key, known) for key in config if key not in known]
    if unknown:
        raise UsageError("; ".join(unknown))


def _unknown(key: str, known: list[str]) -> str:
    return f"unknown key {key!r}; {did_you_mean(key, known)}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is closest, or list them all."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known are {', '.join(known)}" if known else "there is none"


def pick(model: type[Model], config: Mapping[str, Any]) -> Model:
    """Build a model from those keys of a flat configuration that are its fields."""
    try:
        return model(**{key: value for key, value in config.items() if key in model.model_fields})
    except ValidationError as error:
        raise UsageError("; ".join(_mistake(detail) for detail in error.errors())) from None


def is_tag(part: str | int) -> bool:
    """Whether a part of pydantic's location is not a key: our tags of unions read `<…>`."""
    return isinstance(part, str) and part.startswith("<")


def _mistake(detail: Any) -> str:  # pydantic's ErrorDetails
    return f"{rule_of(detail)}, got {detail['input']!r}" if detail["loc"] else rule_of(detail)


def rule_of(detail: Any) -> str:
    """Say which key breaks which rule."""
    rule = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return " ".join([".".join(str(p) for p in detail["loc"] if not is_tag(p)), rule]).strip()
