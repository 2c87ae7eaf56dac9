"""Blocks as parts of a Dash page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from dash import Patch, dcc, html
from dash.development.base_component import Component

from dashboards.blocks import (
    Action,
    Block,
    Cell,
    Choice,
    Code,
    Entry,
    Facts,
    Figure,
    Heading,
    Row,
    Table,
    Text,
)

CONFIG: Any = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["lasso2d"]}


def draw(blocks: Sequence[Block]) -> list[Component]:
    """Draw blocks below each other, each in a box that can be filled anew."""
    return [
        html.Div(DRAWINGS[type(block)](block), id=block_id(block, place))
        for place, block in enumerate(blocks)
    ]


def block_id(block: Block, place: int) -> str:
    """Name the box of a block: other blocks in its place have other names."""
    name = block.name if isinstance(block, Figure | Table) else ""
    return f"{type(block).__name__.lower()}-box-{place}-{name}"


def figure_id(figure: Figure) -> str:
    """Name the graph of a figure."""
    return f"figure-{figure.name}"


def renewal(figure: go.Figure) -> Patch:
    """Say what a picture shows now, and nothing about what it leaves to its reader: the zoom.

    Dash writes a reader's zoom into the figure that it keeps: a whole new one would undo it.
    """
    content = figure.to_plotly_json()
    patch = Patch()
    patch["data"] = content["data"]
    for name, value in ({"annotations": [], "shapes": []} | content["layout"]).items():
        if name.startswith(("xaxis", "yaxis")):
            for attribute, said in value.items():
                patch["layout"][name][attribute] = said
        else:
            patch["layout"][name] = value
    return patch


def _text(text: Text) -> Component:
    parts = [html.Code(part) if code else part for part, code in text.parts()]
    return html.P(parts, className=text.kind)


def _heading(heading: Heading) -> Component:
    return html.H2(heading.text)


def _facts(facts: Facts) -> Component:
    return html.Dl(
        [html.Div([html.Dt(name), html.Dd(value)]) for name, value in facts.facts.items()],
        className="facts",
    )


def _figure(figure: Figure) -> Component:
    graph = dcc.Graph(
        id=figure_id(figure),
        figure=figure.figure,
        config=CONFIG,
        style={"height": f"{figure.figure.layout.height or 420}px"},
    )
    labelled: dict[str, Any] = {"role": "img", "aria-label": figure.about}
    parts = [html.Div(graph, **labelled), html.Figcaption(figure.about)]
    return html.Figure(parts, className="wide" if figure.wide else "")


def _table(table: Table) -> Component:
    kinds = ["number" if column.numeric else "word" for column in table.columns]
    head = html.Tr(
        [
            html.Th(_linked(column.title, column.link), className=kind, scope="col")
            for column, kind in zip(table.columns, kinds, strict=True)
        ]
    )
    body = [
        html.Tr([_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)])
        for row in table.rows
    ]
    content = html.Table([html.Caption(html.Span(table.about)), html.Thead(head), html.Tbody(body)])
    return html.Div(content, className="table", id=f"table-{table.name}", tabIndex="0")


def _cell(cell: Cell, kind: str) -> Component:
    classes = f"{kind} best" if cell.strong else kind
    return html.Td(_linked(cell.text, cell.link), className=classes, title=cell.title or "")


def _linked(text: str, link: str | None) -> Any:
    return text if link is None else dcc.Link(text, href=link)


def _code(code: Code) -> Component:
    text = html.Pre(code.text, tabIndex="0")
    return html.Figure([html.Figcaption(code.about), text]) if code.about else text


def _row(row: Row) -> Component:
    return html.Div([CONTROLS[type(item)](item) for item in row.items], className="controls")


def _choice(choice: Choice) -> Component:
    options = [{"value": value, "label": text} for value, text in choice.options.items()]
    return html.Label(
        [
            html.Span(choice.label),
            dcc.Dropdown(
                options,
                choice.value,
                id={"kind": "choice", "key": choice.key},
                clearable=False,
                searchable=len(options) > 12,
            ),
        ]
    )


def _entry(entry: Entry) -> Component:
    return html.Label(
        [
            html.Span(entry.label),
            dcc.Input(
                entry.value,
                type="text",
                debounce=True,
                placeholder=entry.hint,
                id={"kind": "entry", "key": entry.key},
            ),
        ]
    )


def _action(action: Action) -> Component:
    name = {"kind": "action", "request": action.request, "trial": str(action.trial)}
    if not action.danger:
        return html.Button(action.label, id=name, n_clicks=0)
    return dcc.ConfirmDialogProvider(
        html.Button(action.label, className="danger"),
        id=name | {"kind": "danger"},
        message=f"{action.label}?",
        submit_n_clicks=0,
    )


DRAWINGS: Mapping[type, Callable[[Any], Component]] = {
    Text: _text,
    Heading: _heading,
    Facts: _facts,
    Figure: _figure,
    Table: _table,
    Code: _code,
    Row: _row,
}
CONTROLS: Mapping[type, Callable[[Any], Component]] = {
    Choice: _choice,
    Entry: _entry,
    Action: _action,
}
