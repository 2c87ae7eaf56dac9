"""A search space under examination."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mrtune.search.space.dimension import Choice, Scalar
from mrtune.search.space.known import Keys, keys_of
from mrtune.search.space.space import Space

Conditions = Mapping[str, frozenset[Scalar]]


@dataclass(frozen=True)
class Draft:
    """A space that may break rules; `declared` also names params too broken to be in it."""

    space: Space
    declared: Collection[str]

    @cached_property
    def keys(self) -> Keys | None:
        """What the trainer can be told, where that is known."""
        return keys_of(self.space.trainer)

    @cached_property
    def methods(self) -> tuple[Any, ...]:
        """Methods that trials may use."""
        given = self.space.params.get("method")
        if isinstance(given, Choice):
            return given.choices
        default = self.keys.defaults["method"] if self.keys else None
        return (self.space.fixed.get("method", default),)

    def conditions(self, name: str) -> Conditions:
        """Return what must hold for a parameter to be used, its parents' conditions included."""
        met: dict[str, frozenset[Scalar]] = {}
        waiting, seen = [name], set()
        while waiting:
            current = waiting.pop()
            param = self.space.params.get(current)
            if param is None or current in seen:
                continue
            seen.add(current)
            for parent, values in param.when.items():
                met[parent] = met.get(parent, frozenset(values)) & frozenset(values)
                waiting.append(parent)
        return met

    def methods_using(self, name: str) -> list[Any]:
        """Methods in whose trials a parameter is used."""
        wanted = self.conditions(name).get("method")
        return [method for method in self.methods if wanted is None or method in wanted]
