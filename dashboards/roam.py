"""The paper's first figure: a layer's partition while it roams, and its numbers beside Eq. 4."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go
from plotly.subplots import make_subplots

if TYPE_CHECKING:
    from mrtune.roaming import Plan
    from mrtune.roaming.history import Moment

# By status: not visited yet, visited and left, held, entered just now. Okabe and Ito's colours,
# which colour-blind readers tell apart too, over two greys.
COLOURS = ("#f4f4f4", "#c9c9c9", "#0072b2", "#e69f00")
NAMES = ("not visited yet", "visited and left", "held", "entered at this step")
MOST_PANELS = 8
MOST_GRID_UNITS = 40


def figure(moments: "list[Moment]", plan: "Plan") -> go.Figure:
    """Draw the states of each task over time, and coverage, overlap and visited share below."""
    tasks, units = moments[0].state.active.shape
    shown = min(tasks, MOST_PANELS)
    columns = min(shown, 4)
    rows = -(-shown // columns)
    result = make_subplots(
        rows=rows + 1,
        cols=columns,
        specs=[[{}] * columns] * rows + [[{"colspan": columns}] + [None] * (columns - 1)],
        subplot_titles=[f"Task {task}" for task in range(shown)],
        row_heights=[1.0] * rows + [0.9],
        vertical_spacing=0.34 / (rows + 1),
        horizontal_spacing=0.05,
    )
    for task in range(shown):
        at = {"row": task // columns + 1, "col": task % columns + 1}
        _draw_task(result, moments, task, at)
    _draw_numbers(result, moments, rows + 1)
    held = int(moments[0].state.active.sum(dim=1).max())
    result.update_layout(
        title=_title(units, tasks, held, plan, shown),
        template="plotly_white",
        font={"family": "system-ui, sans-serif", "size": 13},
        width=1100,
        height=260 * (rows + 1) + 140,
        margin={"t": 90, "b": 60, "l": 70, "r": 180},
        legend={"x": 1.01, "y": 1, "tracegroupgap": 24},
    )
    return result


def _title(units: int, tasks: int, held: int, plan: "Plan", shown: int) -> dict[str, object]:
    when = f"Δ = {plan.delta:g}" if plan.delta is not None else f"finish at {plan.finish_at:g}"
    text = f"{units} units, {tasks} tasks, p = {held / units:.2g}, {when}, r = {plan.r:g}"
    if shown < tasks:
        text += f" (tasks 0 to {shown - 1} shown)"
    return {"text": f"Maximum Roaming of one layer<br><sup>{text}</sup>", "x": 0.06}


def _draw_task(result: go.Figure, moments: "list[Moment]", task: int, at: dict[str, int]) -> None:
    """One task's units over the steps, as coloured squares."""
    tasks, units = moments[0].state.active.shape
    few_units = units <= MOST_GRID_UNITS
    last = len(COLOURS)
    scale = [[edge / last, colour] for i, colour in enumerate(COLOURS) for edge in (i, i + 1)]
    status = [moment.status[task].tolist() for moment in moments]
    result.add_heatmap(
        z=status,
        y=[moment.state.step for moment in moments],
        text=[[NAMES[value] for value in row] for row in status] if few_units else None,
        hovertemplate=f"unit %{{x}}, step %{{y}}{': %{text}' * few_units}<extra></extra>",
        colorscale=scale,
        zmin=-0.5,
        zmax=last - 0.5,
        showscale=False,
        xgap=2 if few_units else 0,
        ygap=2 if len(moments) <= MOST_GRID_UNITS else 0,
        **at,
    )
    few = {"dtick": 1} if len(moments) <= MOST_GRID_UNITS // 2 else {}
    result.update_yaxes(
        title="step" if at["col"] == 1 else None, autorange="reversed", showgrid=False, **few, **at
    )
    few = {"dtick": 1} if units * tasks <= MOST_GRID_UNITS else {}
    result.update_xaxes(title="unit", title_standoff=4, showgrid=False, zeroline=False, **few, **at)


def _draw_numbers(result: go.Figure, moments: "list[Moment]", row: int) -> None:
    """Shares over the epochs; the visited share lies on the line that Eq. 4 predicts."""
    for name, colour in zip(NAMES, COLOURS, strict=True):
        marker = {"symbol": "square", "size": 12, "color": colour, "line": {"width": 1}}
        result.add_scatter(
            x=[None], y=[None], mode="markers", marker=marker, name=name, legendgroup="unit"
        )
    epochs = [moment.epoch for moment in moments]
    lines = (
        ("visited share", [m.visited for m in moments], {"color": "#009e73", "width": 3}),
        ("visited share by Eq. 4", [m.expected for m in moments], {"color": "#000", "dash": "dot"}),
        ("coverage", [m.coverage for m in moments], {"color": "#56b4e9", "width": 2}),
        ("overlap of two tasks", [m.overlap for m in moments], {"color": "#cc79a7", "width": 2}),
    )
    for name, values, line in lines:
        result.add_scatter(
            x=epochs,
            y=values,
            mode="lines",
            line=line,
            name=name,
            legendgroup="share",
            hovertemplate=f"{name} at epoch %{{x:.3g}}: %{{y:.1%}}<extra></extra>",
            row=row,
            col=1,
        )
    result.update_xaxes(title="epoch", row=row, col=1)
    result.update_yaxes(title="share", range=[-0.02, 1.04], tickformat=".0%", row=row, col=1)
