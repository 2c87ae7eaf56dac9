"""Something wrong in a search space: where, which rule, which value."""

from dataclasses import dataclass
from typing import Any

Place = tuple[str | int, ...]
NOTHING: Any = object()


@dataclass(frozen=True)
class Mistake:
    """One mistake; its place is a path of keys from the outside in."""

    place: Place
    rule: str
    value: Any = NOTHING

    @property
    def text(self) -> str:
        """The rule, and the value that breaks it."""
        return self.rule if self.value is NOTHING else f"{self.rule}, got {self.value!r}"
