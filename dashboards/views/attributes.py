"""Attributes: the scores of single tasks, as in the radar charts of the paper's appendix."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan

import plotly.graph_objects as go

from dashboards.blocks import Block, Cell, Choice, Column, Figure, Heading, Row, Table, Text
from dashboards.parts.attributes_info import AttributesInfo, info
from dashboards.parts.grouping import LEVEL, measured, nothing_yet
from dashboards.parts.measure import HELD_OUT, SPLITS
from dashboards.parts.naming import metric_name
from dashboards.parts.query import picked
from dashboards.theme import BLUE, CYCLE, GREY, ORANGE, escape, faded, plain
from mrtune.metrics import Summary, sign
from mrtune.study import StudyRecord
from mrtune.wording import chance, signed, spread

__all__ = ["QUESTION", "TITLE", "AttributesInfo", "blocks", "figure", "info", "radar"]

TITLE = "Attributes"
QUESTION = "Which tasks gain?"
NEEDS = (
    "This page shows the score of each attribute or class: metrics named f/… or iou/…, which the "
    "workloads celeba, fashion, cityscapes and nyuv2 report. No complete trial has any."
)
FEWEST_SPOKES = 3  # of a polygon
MOST_SPOKES = 24  # before a radar is cut in two halves
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star", "triangle-down")


def _looks(place: int, info: AttributesInfo) -> tuple[str, str]:
    """Return colour and symbol of a contender: the reference and the subject stand out."""
    if not info.compared:
        return BLUE, SYMBOLS[0]
    if place < 2:
        return (GREY, BLUE)[place], SYMBOLS[place]
    rest = [colour for colour in CYCLE if colour not in {GREY, BLUE}]
    return rest[(place - 2) % len(rest)], SYMBOLS[place % len(SYMBOLS)]


def figure(info: AttributesInfo) -> go.Figure:
    """Draw a line of dots for each task, the largest gain on top."""
    result = go.Figure()
    tasks = [row.task for row in info.rows]
    if info.compared:
        _ways(result, info)
    for place in (*range(2, len(info.contenders)), *range(min(2, len(info.contenders)))):
        _dots(result, info, place, tasks)
    plain(result, x=escape(metric_name(info.kind)), height=110 + 20 * max(len(tasks), 4))
    result.update_layout(legend={"y": 1, "yref": "container", "yanchor": "top"}, margin={"t": 56})
    return result.update_yaxes(
        range=[len(tasks) - 0.4, -0.6],
        tickvals=list(range(len(tasks))),
        ticktext=[escape(_readable(task)) for task in tasks],
        tickfont={"size": 11},
        zeroline=False,
    )


def _readable(task: str) -> str:
    return task.replace("_", " ")


def _ways(result: go.Figure, info: AttributesInfo) -> None:
    """Draw the way from the reference to the subject, blue where it is a gain."""
    reference, subject = info.contenders[:2]
    for better, colour in ((True, BLUE), (False, ORANGE)):
        x: list[float | None] = []
        y: list[float | None] = []
        for place, row in enumerate(info.rows):
            if isfinite(row.gain) and (row.gain > 0) == better:
                x += [reference.scores[row.task].mean, subject.scores[row.task].mean, None]
                y += [place, place, None]
        result.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": faded(colour, 0.45), "width": 5},
            hoverinfo="skip",
            name="gain" if better else "loss",
            showlegend=False,
        )


def _dots(result: go.Figure, info: AttributesInfo, place: int, tasks: list[str]) -> None:
    contender = info.contenders[place]
    shown = [
        (y, task)
        for y, task in enumerate(tasks)
        if task in contender.scores and isfinite(contender.scores[task].mean)
    ]
    colour, symbol = _looks(place, info)
    scores = [contender.scores[task] for _, task in shown]
    result.add_scatter(
        x=[s.mean for s in scores],
        y=[y for y, _ in shown],
        customdata=[
            [escape(_readable(task)), spread(s.mean, s.std), s.n]
            for (_, task), s in zip(shown, scores, strict=True)
        ],
        mode="markers",
        marker={
            "color": colour,
            "symbol": symbol,
            "size": 9 if place < 2 else 6,
            "opacity": 1 if place < 2 else 0.65,
        },
        name=escape(contender.label),
        legendrank=place,
        hovertemplate="%{fullData.name}, %{customdata[0]}: %{customdata[1]} "
        "(n = %{customdata[2]})<extra></extra>",
    )


def halves(info: AttributesInfo) -> list[list[str]]:
    """Cut the tasks into those with the highest and those with the lowest scores, if many."""
    known = [row.task for row in info.rows if isfinite(info.middle(row.task))]
    ordered = sorted(known, key=lambda task: -info.middle(task))
    if len(ordered) < FEWEST_SPOKES:
        return []
    if len(ordered) <= MOST_SPOKES:
        return [ordered]
    half = -(-len(ordered) // 2)
    return [ordered[:half], ordered[half:]]


def radar(info: AttributesInfo, tasks: Sequence[str]) -> go.Figure:
    """Draw a closed polygon for each contender, at a scale that fits these tasks."""
    result = go.Figure()
    means = [
        c.scores[task].mean
        for c in info.contenders
        for task in tasks
        if task in c.scores and isfinite(c.scores[task].mean)
    ]
    around = [*tasks, tasks[0]]
    for place in (*range(2, len(info.contenders)), *range(min(2, len(info.contenders)))):
        contender = info.contenders[place]
        colour, symbol = _looks(place, info)
        main = place < 2
        result.add_scatterpolar(
            r=[contender.scores[t].mean if t in contender.scores else None for t in around],
            theta=[escape(_readable(task)) for task in around],
            mode="lines+markers",
            line={"color": colour if main else faded(colour, 0.6), "width": 2.5 if main else 1.2},
            marker={"color": colour, "symbol": symbol, "size": 6 if main else 4},
            name=escape(contender.label),
            legendrank=place,
            hovertemplate="%{fullData.name}, %{theta}: %{r:.4f}<extra></extra>",
        )
    room = (max(means) - min(means)) or 0.1
    plain(result, height=620)
    grid = "rgba(128,128,128,0.3)"
    return result.update_layout(
        margin={"t": 80, "b": 40, "l": 90, "r": 90},
        legend={"y": 1, "yref": "container", "yanchor": "top"},
        polar={
            "bgcolor": "rgba(0,0,0,0)",
            "radialaxis": {
                "range": [min(means) - 0.12 * room, max(means) + 0.04 * room],
                "nticks": 5,
                "angle": 90,
                "tickangle": 90,
                "tickfont": {"size": 10},
                "gridcolor": grid,
                "linecolor": grid,
            },
            "angularaxis": {
                "direction": "clockwise",
                "rotation": 90,
                "tickfont": {"size": 10},
                "gridcolor": grid,
                "linecolor": grid,
            },
        },
    )


def verdict(info: AttributesInfo) -> str:
    """Answer the question in words."""
    rows = [row for row in info.rows if isfinite(row.gain)]
    if not info.compared:
        return (
            f"{info.contenders[0].label} is alone: there is no other method, and no trial of the "
            "default configuration, to compare it with."
        )
    reference, subject = info.contenders[:2]
    if not rows:
        return f"{subject.label} and {reference.label} have no seed in common to compare them on."
    gained = [row for row in rows if row.gain > 0]
    first, last = rows[0], rows[-1]
    text = (
        f"{subject.label} is better than {reference.label} on {len(gained)} of {len(rows)} tasks: "
        f"most on {_readable(first.task)} ({signed(first.gain)}), "
        f"least on {_readable(last.task)} ({signed(last.gain)})."
    )
    tested = [row for row in rows if isfinite(row.p_holm)]
    if not tested:
        return f"{text} With one seed in common, no difference can be tested."
    sure = sum(row.p_holm < LEVEL for row in tested)
    return f"{text} {sure} of the differences are significant, corrected for all tasks."


def table(info: AttributesInfo) -> Table:
    """Write the same numbers."""
    rows = []
    for row in info.rows:
        cells = [Cell(_readable(row.task))]
        means = [c.scores[row.task].mean for c in info.contenders if row.task in c.scores]
        best = max((sign(info.kind) * m for m in means if isfinite(m)), default=nan)
        for contender in info.contenders:
            s = contender.scores.get(row.task, Summary(nan, nan, 0))
            strong = info.compared and sign(info.kind) * s.mean == best
            cells.append(measured(spread(s.mean, s.std), s.mean, strong))
        if info.compared:
            cells.append(measured(signed(row.gain), row.gain))
            cells.append(measured(chance(row.p_holm), row.p_holm))
        rows.append(cells)
    titles = [f"{contender.label}, n = {contender.n}" for contender in info.contenders]
    if info.compared:
        titles += [f"gain of {info.contenders[1].label}", "p-value (Holm)"]
    about = f"{metric_name(info.kind)} of each task, {SPLITS[info.split]}, mean ± std"
    if info.compared:
        about += (
            f"; gain over {info.contenders[0].label} on the seeds in common, paired t-test, "
            "corrected for all tasks"
        )
    columns = [Column("task", numeric=False), *(Column(title) for title in titles)]
    return Table("attributes", columns, rows, about)


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    nothing = nothing_yet(record)
    if nothing is not None:
        return [nothing]
    found = info(record, picked(query, "split", SPLITS, HELD_OUT))
    choice = Row([Choice("split", "measured on", SPLITS, found.split)])
    if not found.rows:
        return [choice, Text(NEEDS, "note")]
    name = metric_name(found.kind)
    order = "the largest gain first" if found.compared else "the best first"
    page: list[Block] = [
        Text(verdict(found)),
        choice,
        Heading("Tasks by gain" if found.compared else "Tasks by score"),
        Figure("attributes", figure(found), f"{name} of each task, {order}"),
        table(found),
    ]
    parts = halves(found)
    titles = ("highest scores", "lowest scores") if len(parts) > 1 else ("all tasks",)
    for number, (tasks, title) in enumerate(zip(parts, titles, strict=False)):
        page += [
            Heading(f"Radar, {title}"),
            Figure(
                f"radar_{number}",
                radar(found, tasks),
                f"{name} of the tasks with the {title}; the scale is fitted, and has no 0"
                if len(parts) > 1
                else f"{name} of all tasks; the scale is fitted, and has no 0",
            ),
        ]
    if record.workload in {"cityscapes", "nyuv2"}:
        page.append(Text("Depth and normals have units of their own: see Benchmark.", "note"))
    return page
