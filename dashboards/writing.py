"""Blocks as HTML text, for files that are read without a server."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from dashboards.blocks import Block, Cell, Code, Facts, Figure, Heading, Row, Table, Text

CONFIG = {"displaylogo": False, "responsive": True}


def write(blocks: Sequence[Block], prefix: str) -> str:
    """Write blocks below each other; the prefix keeps the names of several pages apart."""
    return "\n".join(WRITINGS[type(block)](block, prefix) for block in blocks)


def _text(text: Text, _: str) -> str:
    parts = (f"<code>{escape(p)}</code>" if code else escape(p) for p, code in text.parts())
    return f'<p class="{text.kind}">{"".join(parts)}</p>'


def _heading(heading: Heading, _: str) -> str:
    return f"<h3>{escape(heading.text)}</h3>"


def _facts(facts: Facts, _: str) -> str:
    items = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.facts.items()
    )
    return f'<dl class="facts">{items}</dl>'


def _figure(figure: Figure, prefix: str) -> str:
    drawn = figure.figure.to_html(
        full_html=False,
        include_plotlyjs=False,
        div_id=f"{prefix}-{figure.name}",
        config=CONFIG,
        default_height=f"{figure.figure.layout.height or 420}px",
    )
    about = escape(figure.about)
    return (
        f'<figure class="{"wide" if figure.wide else ""}">'
        f'<div role="img" aria-label="{about}">{drawn}</div>'
        f"<figcaption>{about}</figcaption></figure>"
    )


def _table(table: Table, prefix: str) -> str:
    kinds = ["number" if column.numeric else "word" for column in table.columns]
    head = "".join(
        f'<th class="{kind}" scope="col">{escape(column.title)}</th>'
        for column, kind in zip(table.columns, kinds, strict=True)
    )
    rows = "".join("<tr>" + "".join(map(_cell, row, kinds)) + "</tr>" for row in table.rows)
    return (
        f'<div class="table" id="{prefix}-{escape(table.name)}-table" tabindex="0"><table>'
        f"<caption><span>{escape(table.about)}</span></caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(cell: Cell, kind: str) -> str:
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    classes = f"{kind} best" if cell.strong else kind
    return f'<td class="{classes}"{title}>{escape(cell.text)}</td>'


def _code(code: Code, _: str) -> str:
    about = f"<figcaption>{escape(code.about)}</figcaption>" if code.about else ""
    return f"<figure>{about}<pre>{escape(code.text)}</pre></figure>"


def _row(_: Row, __: str) -> str:
    return ""  # a file cannot be asked for anything


WRITINGS: Mapping[type, Callable[[Any, str], str]] = {
    Text: _text,
    Heading: _heading,
    Facts: _facts,
    Figure: _figure,
    Table: _table,
    Code: _code,
    Row: _row,
}
