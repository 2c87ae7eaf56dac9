"""The paper's first figure: a layer's partition while it roams, and its numbers beside Eq. 4."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.theme import BLUE, GREEN, GREY, ORANGE, PINK, SKY, escape, plain
from mrtune.roaming import Plan
from mrtune.roaming.history import Moment, status_of

# By status: not visited yet, visited and left, held, entered just now.
COLOURS = ("#f4f4f4", "#c9c9c9", BLUE, ORANGE)
NAMES = ("not visited yet", "visited and left", "held", "entered at this step")
MOST_PANELS = 8
MOST_GRID_UNITS = 40
MOST_ROWS = 200
MOST_CELLS = 500_000  # over all panels: what a page can carry

Clock = Literal["step", "epoch"]


def figure(moments: list[Moment], plan: Plan) -> go.Figure:
    """Draw one layer as a page of its own."""
    tasks, units = moments[0].state.active.shape
    shown = min(tasks, MOST_PANELS)
    result = panels(moments, {task: f"Task {task}" for task in range(shown)}, "step")
    held = int(moments[0].state.active.sum(dim=1).max())
    return result.update_layout(
        title=_title(units, tasks, held, plan, shown),
        width=1100,
        height=result.layout.height + 40,
        paper_bgcolor="white",
        margin={"t": 90},
    )


def panels(moments: Sequence[Moment], tasks: dict[int, str], clock: Clock) -> go.Figure:
    """Draw the states of some tasks over time, and coverage, overlap and visited share below."""
    columns = min(len(tasks), 4)
    rows = -(-len(tasks) // columns)
    result = make_subplots(
        rows=rows + 1,
        cols=columns,
        specs=[[{}] * columns] * rows + [[{"colspan": columns}] + [None] * (columns - 1)],
        subplot_titles=[escape(name) for name in tasks.values()],
        row_heights=[1.0] * rows + [0.9],
        vertical_spacing=0.34 / (rows + 1),
        horizontal_spacing=0.05,
    )
    plain(result, height=260 * (rows + 1) + 100)
    shown = thinned(moments, len(tasks))
    for place, task in enumerate(tasks):
        at = {"row": place // columns + 1, "col": place % columns + 1}
        _draw_task(result, shown, task, clock, at)
    _draw_numbers(result, shown, rows + 1)
    return result.update_layout(
        margin={"t": 50, "b": 60, "l": 70, "r": 180},
        legend={"orientation": "v", "x": 1.01, "y": 1, "yanchor": "top", "tracegroupgap": 24},
    )


def thinned(moments: Sequence[Moment], panels: int) -> list[Moment]:
    """Leave moments out until a page can carry the rest; units entered since the one before."""
    units = moments[0].state.active.shape[1]
    most = min(MOST_ROWS, max(2, MOST_CELLS // (units * panels)))
    if len(moments) <= most:
        return list(moments)
    places = np.linspace(0, len(moments) - 1, most).round().astype(int)
    kept = [moments[place] for place in places]
    return [kept[0]] + [
        replace(moment, status=status_of(moment.state, before.state))
        for before, moment in pairwise(kept)
    ]


def _title(units: int, tasks: int, held: int, plan: Plan, shown: int) -> dict[str, object]:
    when = f"Δ = {plan.delta:g}" if plan.delta is not None else f"finish at {plan.finish_at:g}"
    text = f"{units} units, {tasks} tasks, p = {held / units:.2g}, {when}, r = {plan.r:g}"
    if shown < tasks:
        text += f" (tasks 0 to {shown - 1} shown)"
    return {"text": f"Maximum Roaming of one layer<br><sup>{text}</sup>", "x": 0.06}


def _draw_task(
    result: go.Figure, moments: Sequence[Moment], task: int, clock: Clock, at: dict[str, int]
) -> None:
    """One task's units over time, as coloured squares."""
    tasks, units = moments[0].state.active.shape
    few_units = units <= MOST_GRID_UNITS
    last = len(COLOURS)
    scale = [[edge / last, colour] for i, colour in enumerate(COLOURS) for edge in (i, i + 1)]
    status = np.array([moment.status[task].numpy() for moment in moments], np.uint8)
    result.add_heatmap(
        z=status,
        y=[m.state.step for m in moments] if clock == "step" else _lasting(moments),
        text=[[NAMES[value] for value in row] for row in status] if few_units else None,
        hovertemplate=f"unit %{{x}}, {clock} %{{y}}{': %{text}' * few_units}<extra></extra>",
        colorscale=scale,
        zmin=-0.5,
        zmax=last - 0.5,
        showscale=False,
        xgap=2 if few_units else 0,
        ygap=2 if few_units and len(moments) <= MOST_GRID_UNITS else 0,
        **at,
    )
    few = {"dtick": 1} if clock == "step" and len(moments) <= MOST_GRID_UNITS // 2 else {}
    title = clock if at["col"] == 1 else None
    bare = {"showgrid": False, "zeroline": False}
    result.update_yaxes(title=title, autorange="reversed", **bare, **few, **at)
    few = {"dtick": 1} if units * tasks <= MOST_GRID_UNITS else {}
    result.update_xaxes(title="unit", title_standoff=4, **bare, **few, **at)


def _lasting(moments: Sequence[Moment]) -> list[float]:
    """Return the epochs between which each state lasts; the last one as long as that before it."""
    epochs = [round(moment.epoch, 4) for moment in moments]
    return [*epochs, 2 * epochs[-1] - epochs[-2] if len(epochs) > 1 else epochs[-1] + 1]


def _draw_numbers(result: go.Figure, moments: Sequence[Moment], row: int) -> None:
    """Shares over the epochs; the visited share lies on the line that Eq. 4 predicts."""
    for name, colour in zip(NAMES, COLOURS, strict=True):
        marker = {"symbol": "square", "size": 12, "color": colour, "line": {"width": 1}}
        result.add_scatter(
            x=[None], y=[None], mode="markers", marker=marker, name=name, legendgroup="unit"
        )
    epochs = [moment.epoch for moment in moments]
    lines = (
        ("visited share", [m.visited for m in moments], {"color": GREEN, "width": 3}),
        ("visited share by Eq. 4", [m.expected for m in moments], {"color": GREY, "dash": "dot"}),
        ("coverage", [m.coverage for m in moments], {"color": SKY, "width": 2}),
        ("overlap of two tasks", [m.overlap for m in moments], {"color": PINK, "width": 2}),
    )
    for name, values, line in lines:
        result.add_scatter(
            x=epochs,
            y=values,
            mode="lines" if len(moments) > 1 else "markers",
            line=line,
            marker={"color": line["color"], "size": 9},
            name=name,
            legendgroup="share",
            hovertemplate=f"{name} at epoch %{{x:.3g}}: %{{y:.1%}}<extra></extra>",
            row=row,
            col=1,
        )
    result.update_xaxes(title="epoch", row=row, col=1)
    result.update_yaxes(title="share", range=[-0.02, 1.04], tickformat=".0%", row=row, col=1)
