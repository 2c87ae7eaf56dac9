"""What all parts of a search space have in common."""

from collections.abc import Collection
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

Items = TypeVar("Items", bound=Collection[Any])


class Strict(BaseModel):
    """A part of the file: nothing unknown in it, every number finite, and it never changes."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def as_list(value: Any) -> Any:
    """Let a single value stand for a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def some(values: Items) -> Items:
    """Refuse an empty list or mapping."""
    if not values:
        raise ValueError("must not be empty")
    return values
