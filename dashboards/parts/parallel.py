"""Parallel coordinates: a trial is a line through its parameters, and ends at its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.colors
import plotly.graph_objects as go

from dashboards.parts.axes import Axis
from dashboards.parts.matrix import good_range
from dashboards.parts.ranking import score
from dashboards.theme import SCALE, escape, plain
from mrtune.study import StudyRecord, TrialRecord
from mrtune.study.dimensions import Dimension
from mrtune.wording import number

MOST_AXES = 9
BINS = 8  # of colour, with as many lines each
SPREAD = 0.035  # of lines that go through the same choice


@dataclass(frozen=True)
class ParallelLine:
    """A trial: its value, and where it crosses each axis, None where it has no such parameter."""

    number: int
    value: float
    places: tuple[float | None, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class ParallelInfo:
    """Trials as lines, the best first; the last axis is the objective."""

    metric: str
    direction: str
    axes: tuple[Axis, ...]
    lines: tuple[ParallelLine, ...]


def parallel_info(
    record: StudyRecord, trials: Sequence[TrialRecord], dimensions: Sequence[Dimension]
) -> ParallelInfo:
    """Lay trials out over axes."""
    axes = [Axis(dimension) for dimension in dimensions[:MOST_AXES]]
    values = {trial.number: score(record, trial) for trial in trials}
    finite = np.array([value for value in values.values() if value is not None])
    low, high = good_range(finite, record.objective.direction)
    last = Axis(Dimension(record.objective.metric, low, high))
    lines = []
    for rank, trial in enumerate(trials):
        value = values[trial.number]
        if value is None:
            continue
        at = [_place(axis, trial.params, rank) for axis in axes]
        names = [axis.dimension.name for axis in axes]
        texts = [f"{name} = {number(trial.params.get(name))}" for name in names]
        end = min(1.0, max(0.0, last.place(value) or 0.0))
        lines.append(
            ParallelLine(
                trial.number,
                value,
                (*at, end),
                (*texts, f"{record.objective.metric} = {number(value)}"),
            )
        )
    return ParallelInfo(
        record.objective.metric,
        record.objective.direction,
        (*axes, last),
        tuple(lines),
    )


def parallel_figure(info: ParallelInfo) -> go.Figure:
    """Draw one trace for each colour; plotly's own parallel coordinates need WebGL."""
    result = go.Figure()
    more_is_better = info.direction == "maximize"
    scale = SCALE if more_is_better else f"{SCALE}_r"
    colours = plotly.colors.sample_colorscale(scale, [(i + 0.5) / BINS for i in range(BINS)])
    rising = sorted(info.lines, key=lambda line: line.value)
    groups = [rising[len(rising) * i // BINS : len(rising) * (i + 1) // BINS] for i in range(BINS)]
    edges = np.quantile([line.value for line in rising], np.linspace(0, 1, BINS + 1))
    drawn = list(zip(groups, colours, strict=True))
    for group, colour in drawn if more_is_better else reversed(drawn):  # the best on top
        if group:
            _draw_group(result, group if more_is_better else group[::-1], colour)
    _draw_axes(result, info)
    result.add_scatter(  # it carries the scale of colours
        x=[None],
        y=[None],
        mode="markers",
        marker={
            "color": [0],
            "cmin": 0,
            "cmax": BINS,
            "colorscale": [[(i + e) / BINS, colours[i]] for i in range(BINS) for e in (0, 1)],
            "showscale": True,
            "colorbar": {
                "title": {"text": escape(info.metric), "side": "right"},
                "thickness": 14,
                "x": 1.03,
                "tickvals": list(range(BINS + 1)),
                "ticktext": [f"{edge:.4g}" for edge in edges],
            },
        },
        showlegend=False,
        hoverinfo="skip",
    )
    plain(result, height=460)
    last = len(info.axes) - 1
    result.update_xaxes(visible=False, range=[-0.25, last + 0.25])
    result.update_yaxes(visible=False, range=[-0.06, 1.06])
    return result.update_layout(
        annotations=_annotations(info.axes),
        showlegend=False,
        margin={"t": 56, "b": 24, "l": 40},
    )


def _place(axis: Axis, params: Any, rank: int) -> float | None:
    """Return where a line crosses; lines through one choice are spread, else they hide others."""
    name = axis.dimension.name
    if name not in params:
        return None
    place = axis.place(params[name])
    if place is None or axis.dimension.choices is None:
        return place
    return place + SPREAD * ((rank * 0.618034) % 1 - 0.5)  # even whatever the number of lines


def _draw_group(result: go.Figure, lines: list[ParallelLine], colour: str) -> None:
    x: list[float | None] = []
    y: list[float | None] = []
    texts: list[str | None] = []
    for line in lines:
        x += [*range(len(line.places)), None]
        y += [*(None if p is None else round(p, 4) for p in line.places), None]
        texts += [*(escape(f"trial {line.number}: {text}") for text in line.texts), None]
    result.add_scatter(
        x=x,
        y=y,
        text=texts,
        mode="lines",
        line={"color": colour, "width": 1.3},
        opacity=0.75,
        hovertemplate="%{text}<extra></extra>",
    )


def _draw_axes(result: go.Figure, info: ParallelInfo) -> None:
    result.add_scatter(
        x=[at for i in range(len(info.axes)) for at in (i, i, None)],
        y=[at for _ in info.axes for at in (-0.03, 1.03, None)],
        mode="lines",
        line={"color": "#8c8c8c", "width": 1.5},
        hoverinfo="skip",
    )


def _annotations(axes: Sequence[Axis]) -> list[dict[str, Any]]:
    """Write names above axes and values beside them."""
    names = [
        {"x": i, "y": 1.05, "text": f"<b>{axis.title}</b>", "yanchor": "bottom"}
        for i, axis in enumerate(axes)
    ]
    beside = {"xanchor": "right", "xshift": -4, "font": {"size": 11}, "borderpad": 0}
    values = [
        {"x": i, "y": place, "text": text, "bgcolor": "rgba(255,255,255,0.8)", **beside}
        for i, axis in enumerate(axes)
        for place, text in axis.ticks()
    ]
    return [{"showarrow": False, **note} for note in (*names, *values)]
