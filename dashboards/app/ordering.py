"""Tables in the order that the address asks for: `order=TABLE.COLUMN`, or `TABLE.-COLUMN`."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from dashboards.blocks import Cell, Column, Table

KEY = "order"


def ordered(table: Table, path: str, query: Mapping[str, str]) -> Table:
    """Put the rows in order, and let each column's title lead to its own."""
    place, falling = _asked(table, query.get(KEY, ""))
    columns = [
        replace(
            column,
            title=f"{column.title} {'▼' if falling else '▲'}" if number == place else column.title,
            link=_link(table, path, query, number, _next(column, number == place, falling)),
        )
        for number, column in enumerate(table.columns)
    ]
    if place is None:
        return replace(table, columns=columns)
    values = [_value(row[place], table.columns[place].numeric) for row in table.rows]
    known = [
        (value, row) for value, row in zip(values, table.rows, strict=True) if value is not None
    ]
    known.sort(key=lambda pair: (isinstance(pair[0], str), pair[0]), reverse=falling)
    rest = [row for value, row in zip(values, table.rows, strict=True) if value is None]
    return replace(table, columns=columns, rows=[row for _, row in known] + rest)


def _asked(table: Table, order: str) -> tuple[int | None, bool]:
    name, _, column = order.rpartition(".")
    number = column.removeprefix("-")
    if name != table.name or number not in map(str, range(len(table.columns))):
        return None, False
    return int(number), column.startswith("-")


def _next(column: Column, current: bool, falling: bool) -> bool:
    """Say whether a click lets a column fall: numbers do at the first one, words rise."""
    return not falling if current else column.numeric


def _link(table: Table, path: str, query: Mapping[str, str], number: int, falling: bool) -> str:
    order = f"{table.name}.{'-' if falling else ''}{number}"
    return f"{path}?{urlencode({**query, KEY: order})}"


def _value(cell: Cell, numeric: bool) -> float | str | None:
    """Return what a cell is ordered by; a number that is not there comes last in any order."""
    if cell.sort is not None or not numeric:
        return cell.text if cell.sort is None else cell.sort
    try:
        return float(cell.text)
    except ValueError:
        return None
