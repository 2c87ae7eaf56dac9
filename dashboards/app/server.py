"""The Dash app: what the browser asks, and what it is answered."""

import hashlib
import logging
import socket
from datetime import datetime
from importlib.resources import files
from typing import Any, get_args
from urllib.parse import parse_qsl, urlencode

import dash
import plotly.graph_objects as go
from dash import ALL, Input, Output, State, ctx, dcc, html, no_update, set_props
from dash.development.base_component import Component
from plotly.io.json import to_json_plotly
from werkzeug.serving import BaseWSGIServer, make_server

from dashboards.app.drawing import block_id, draw, figure_id, renewal
from dashboards.app.library import Library
from dashboards.app.screens import HOME, Screen, navigation, place, screen
from dashboards.app.security import protect
from dashboards.blocks import Figure, Row
from dashboards.theme import plain
from mrtune.errors import MrtuneError, StorageFailed
from mrtune.study import Storage
from mrtune.study.control import Request

REFRESH = 2000  # milliseconds between two looks
MEANINGS = {
    "pause": "running trials write checkpoints and wait",
    "run": "trials go on",
    "stop": "running trials finish, no other starts",
    "cancel": "running trials are ended",
    "stop-trial": "the trial is asked to stop",
}


def serve(storage: Storage, host: str, port: int, token: str | None) -> BaseWSGIServer:
    """Return a server that waits for its `serve_forever`; port 0 takes a free one."""
    app = build(Library(storage))
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with socket.create_server((host, port), family=_family(host)) as bound:
        server = make_server(host, port, app.server, threaded=True, fd=bound.fileno())
    protect(app.server, host, server.port, token, list(app.csp_hashes()))
    return server


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def build(library: Library) -> dash.Dash:
    """Build the app over the studies of a library."""
    app = dash.Dash(
        "mrtune",
        title="mrtune",
        update_title="",
        assets_folder=str(files("dashboards") / "assets"),
        suppress_callback_exceptions=True,
        serve_locally=True,
    )
    app.layout = _layout()
    _load_what_pictures_need()
    _show_what_the_address_says(app, library)
    _write_choices_into_the_address(app)
    _pass_requests_on(app, library)
    return app


def _load_what_pictures_need() -> None:
    """Draw something: plotly loads its parts when they are first used, and no reader waits yet."""
    plain(go.Figure([go.Scatter(), go.Bar(), go.Heatmap()]), "x", "y").to_plotly_json()


def _layout() -> Component:
    return html.Div(
        [
            dcc.Location(id="address", refresh=False),
            dcc.Interval(id="tick", interval=REFRESH),
            dcc.Store(id="shown", data={}),
            html.Header(id="head"),
            html.Main(
                [
                    html.Div(id="controls"),
                    html.Div(id="content"),
                ]
            ),
            html.Footer([html.Span(id="news", role="status"), html.Span(id="moment")]),
        ]
    )


def _show_what_the_address_says(app: dash.Dash, library: Library) -> None:
    @app.callback(
        Output("head", "children"),
        Output("controls", "children"),
        Output("content", "children"),
        Output("shown", "data"),
        Output("moment", "children"),
        Input("address", "pathname"),
        Input("address", "search"),
        Input("tick", "n_intervals"),
        State("shown", "data"),
    )
    def show(path: str | None, search: str | None, _: int | None, shown: dict[str, Any]) -> Any:
        """Draw what differs from what is there; while a storage is away, what is there stays."""
        try:
            seen = screen(library, path or HOME, search or "")
        except StorageFailed as error:
            return (*[no_update] * 4, html.Span(str(error), className="warning"))
        frame = {"head": _head(seen), "controls": draw(seen.controls)}
        content = draw(seen.content)
        marks: dict[str, Any] = {part: _mark(children) for part, children in frame.items()}
        marks["layout"] = [block_id(block, n) for n, block in enumerate(seen.content)]
        marks["blocks"] = [_mark([block]) for block in content]
        parts = [
            no_update if marks[part] == shown.get(part) else children
            for part, children in frame.items()
        ]
        if marks["layout"] == shown.get("layout"):
            _renew(seen, content, marks["blocks"], shown["blocks"])
            parts.append(no_update)
        else:
            parts.append(content)
        return (*parts, marks, f"as of {datetime.now():%H:%M:%S}")


def _renew(seen: Screen, content: list[Component], now: list[str], before: list[str]) -> None:
    """Renew the blocks that differ, where they are: a picture keeps what was zoomed into."""
    for number, block in enumerate(seen.content):
        if now[number] == before[number]:
            continue
        if isinstance(block, Figure):
            set_props(figure_id(block), {"figure": renewal(block.figure)})
        else:
            set_props(block_id(block, number), {"children": content[number].children})


def _mark(children: list[Component]) -> str:
    """Tell one drawing from another in a few letters."""
    text: str = to_json_plotly(children)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _head(seen: Screen) -> list[Component]:
    """Draw where the reader is, and where else there is to go."""
    crumbs: list[Any] = [dcc.Link("mrtune", href=HOME, className="brand")]
    parts: list[Component] = []
    if seen.study is not None:
        crumbs += [html.Span(seen.study, className="study"), html.Span(seen.state, className="tag")]
        crumbs += draw([Row(seen.actions)]) if seen.actions else []
        links = [
            dcc.Link(title, href=href, className="here" if key == seen.page else "")
            for key, title, href in navigation(seen.study)
        ]
        parts.append(html.Nav(links, title="pages of this study"))
    title = [html.H1(seen.title), html.P(seen.question, className="question")]
    return [html.Div(crumbs, className="crumbs"), *parts, html.Div(title, className="title")]


def _write_choices_into_the_address(app: dash.Dash) -> None:
    @app.callback(
        Output("address", "search"),
        Input({"kind": "choice", "key": ALL}, "value"),
        Input({"kind": "entry", "key": ALL}, "value"),
        State("address", "search"),
        prevent_initial_call=True,
    )
    def choose(_: list[str], __: list[str], search: str | None) -> Any:
        """Let the address say what the reader has chosen, so that it can be sent on."""
        before = dict(parse_qsl((search or "").removeprefix("?")))
        chosen = {part["id"]["key"]: part["value"] for group in ctx.inputs_list for part in group}
        if not ctx.triggered_id:
            return no_update
        key = ctx.triggered_id["key"]
        after = before | {key: chosen.get(key) or ""}
        after = {name: value for name, value in after.items() if value}
        return no_update if after == before else f"?{urlencode(after)}" if after else ""


def _pass_requests_on(app: dash.Dash, library: Library) -> None:
    names = {"request": ALL, "trial": ALL}

    @app.callback(
        Output("news", "children"),
        Input({"kind": "action", **names}, "n_clicks"),
        Input({"kind": "danger", **names}, "submit_n_clicks"),
        State("address", "pathname"),
        prevent_initial_call=True,
    )
    def act(_: list[int], __: list[int], path: str) -> Any:
        """Leave a request in the storage, where the search looks every second."""
        study, _page = place(path)
        if study is None or not ctx.triggered_id or not ctx.triggered[0]["value"]:
            return no_update
        request = ctx.triggered_id["request"]
        try:
            if request == "stop-trial":
                library.stop_trial(study, int(ctx.triggered_id["trial"]))
            elif request in get_args(Request):
                library.ask(study, request)
            else:
                return no_update
        except MrtuneError as error:
            return str(error)
        return f"{study}: {MEANINGS[request]}"
