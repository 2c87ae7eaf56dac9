"""Reads the blocks of a page."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboards.blocks import Block, Cell, Choice, Code, Entry, Facts, Figure, Row, Table, Text


def facts(page: Sequence[Block]) -> dict[str, str]:
    return dict(next(block.facts for block in page if isinstance(block, Facts)))


def figures(page: Sequence[Block]) -> dict[str, go.Figure]:
    return {block.name: block.figure for block in page if isinstance(block, Figure)}


def table(page: Sequence[Block], name: str) -> list[list[str]]:
    return [[cell.text for cell in row] for row in rows(page, name)]


def rows(page: Sequence[Block], name: str) -> Sequence[Sequence[Cell]]:
    return next(b.rows for b in page if isinstance(b, Table) and b.name == name)


def tables(page: Sequence[Block]) -> list[str]:
    return [block.name for block in page if isinstance(block, Table)]


def words(page: Sequence[Block], kind: str | None = None) -> str:
    texts = [b.text for b in page if isinstance(b, Text) and kind in {None, b.kind}]
    return "\n".join(texts)


def codes(page: Sequence[Block]) -> list[str]:
    return [block.text for block in page if isinstance(block, Code)]


def controls(page: Sequence[Block]) -> dict[str, Choice | Entry]:
    items = (item for block in page if isinstance(block, Row) for item in block.items)
    return {item.key: item for item in items if isinstance(item, Choice | Entry)}
