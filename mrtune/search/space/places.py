"""Where a mistake stands: line and column of the file, or the setting that made it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mrtune.search.space.mistake import NOTHING, Mistake, Place
from mrtune.strict_yaml import Document, twice


@dataclass(frozen=True)
class Places:
    """A file, the data that it became, and the places in it that were set from outside."""

    document: Document
    data: dict[str, Any]
    set_here: Mapping[Place, str]

    def lines(self, mistakes: Iterable[Mistake]) -> list[str]:
        """Write mistakes, keys that stand twice among them, in the order of the file."""
        repeated = [(mark.line, mark.column, twice(key)) for key, mark in self.document.repeated]
        found = dict.fromkeys([*repeated, *(self._locate(mistake) for mistake in mistakes)])
        return [
            text if line < 0 else f"{self.document.name}:{line + 1}:{column + 1}: {text}"
            for line, column, text in sorted(found)
        ]

    def _locate(self, mistake: Mistake) -> tuple[int, int, str]:
        """Return line, column and text; what was set from outside has no line."""
        place = self._present(mistake.place)
        name = ".".join(map(str, place))
        for n in range(len(place), 0, -1):
            if setting := self.set_here.get(place[:n]):
                within = "" if n == len(place) else f"{name}: "
                return -1, 0, f"-S {setting}: {within}{mistake.text}"
        marks = self.document.keys if mistake.value is NOTHING else self.document.values
        nearest = next(
            (marks[place[:n]] for n in range(len(place), 0, -1) if place[:n] in marks), None
        )
        text = f"{name}: {mistake.text}" if name else mistake.text
        return (nearest.line, nearest.column, text) if nearest else (0, 0, text)

    def _present(self, place: Place) -> Place:
        """Leave out what the file does not spell out: `[1]` may stand for `{choices: [1]}`."""
        found: list[str | int] = []
        data: Any = self.data
        for part in place:
            inside = part in data if isinstance(data, dict) else part in range(_length(data))
            if inside:
                found.append(part)
                data = data[part]
        return tuple(found)


def _length(data: Any) -> int:
    return len(data) if isinstance(data, list) else 0
