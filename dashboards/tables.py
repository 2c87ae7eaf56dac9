"""Tables of pages for other programs: as plain text, CSV and LaTeX."""

import csv
import io
from collections.abc import Sequence
from unicodedata import east_asian_width

from dashboards.blocks import Cell, Column, Table
from dashboards.parts import tex


def to_text(table: Table) -> str:
    """Lay a table out in columns, words to the left and numbers to the right."""
    heads = [column.title for column in table.columns]
    lines = [heads, *([_marked(cell) for cell in row] for row in table.rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    written = ["  ".join(map(_aligned, line, widths, table.columns)).rstrip() for line in lines]
    return "\n".join([*written, "", table.about, ""])


def to_csv(table: Table) -> str:
    """Write the values as they read."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.title for column in table.columns])
    writer.writerows([[cell.text for cell in row] for row in table.rows])
    return buffer.getvalue()


def to_tex(table: Table) -> str:
    """Write a table of booktabs, the best of each column underlined."""
    heads = [tex.escape(column.title) for column in table.columns]
    return tex.tabular(heads, [[_tex_row(row) for row in table.rows]])


def _tex_row(row: Sequence[Cell]) -> list[str]:
    return [
        tex.underlined(tex.escape(cell.text)) if cell.strong else tex.escape(cell.text)
        for cell in row
    ]


def _marked(cell: Cell) -> str:
    return f"{cell.text} *" if cell.strong else cell.text


def _aligned(text: str, width: int, column: Column) -> str:
    space = " " * (width - _width(text))
    return space + text if column.numeric else text + space


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
