"""What pages are made of, whether they are shown live or written to a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import plotly.graph_objects as go


@dataclass(frozen=True)
class Text:
    """A paragraph; what stands `between backticks` is a command."""

    text: str
    kind: Literal["plain", "note", "warning"] = "plain"

    def parts(self) -> list[tuple[str, bool]]:
        """Split the text: each part, and whether it is a command."""
        parts = self.text.split("`")
        return [(part, place % 2 == 1) for place, part in enumerate(parts) if part]


@dataclass(frozen=True)
class Heading:
    """The title of a part of a page."""

    text: str


@dataclass(frozen=True)
class Facts:
    """A few named values, the first thing that the eye meets."""

    facts: Mapping[str, str]


@dataclass(frozen=True)
class Figure:
    """A picture with a name that is its own on the page, and in words what it shows."""

    name: str
    figure: go.Figure
    about: str
    wide: bool = False  # has pictures side by side: on a phone it is scrolled, not squeezed


@dataclass(frozen=True)
class Cell:
    """One value of a table: as it reads, and as it sorts where that differs."""

    text: str
    sort: float | str | None = None
    link: str | None = None  # an address inside the dashboard
    strong: bool = False  # the best of its column
    title: str | None = None  # what a pointer that rests on it is told


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    numeric: bool = True
    link: str | None = None  # an address inside the dashboard


@dataclass(frozen=True)
class Table:
    """Values in rows and columns."""

    name: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    about: str  # its caption


@dataclass(frozen=True)
class Code:
    """Text that is shown as it is: a traceback, a log, a command."""

    text: str
    about: str = ""


@dataclass(frozen=True)
class Choice:
    """A value of the page's address that the reader can change; files show what was chosen."""

    key: str  # in the address
    label: str
    options: Mapping[str, str]  # value in the address → text
    value: str


@dataclass(frozen=True)
class Entry:
    """A value of the page's address that the reader can type."""

    key: str
    label: str
    value: str
    hint: str = ""


@dataclass(frozen=True)
class Action:
    """Something that the reader can ask of a search; files leave it out."""

    request: str  # pause, run, stop, cancel, or stop-trial
    label: str
    danger: bool = False
    trial: int | None = None


@dataclass(frozen=True)
class Row:
    """Controls that stand side by side."""

    items: Sequence[Choice | Entry | Action]


Block = Text | Heading | Facts | Figure | Table | Code | Row


def cells(*texts: str) -> list[Cell]:
    """Make plain cells."""
    return [Cell(text) for text in texts]
