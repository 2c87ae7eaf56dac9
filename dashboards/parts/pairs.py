"""Two parameters against each other, coloured by the objective: what was tried, nothing made up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboards.parts.axes import Axis
from dashboards.parts.matrix import Floats, good_range
from dashboards.parts.ranking import score
from dashboards.theme import GREY, SCALE, escape, faded, plain
from mrtune.study import StudyRecord, TrialRecord
from mrtune.study.dimensions import Dimension

MOST_POINTS = 500  # beyond which values are averaged over cells
MOST_PRUNED = 300
BINS = 14


@dataclass(frozen=True)
class PairInfo:
    """Complete trials as points of two parameters, and where pruned ones were."""

    metric: str
    direction: str
    x: Axis
    y: Axis
    points: tuple[tuple[Any, Any, float, int], ...]  # x, y, value, trial
    pruned: tuple[tuple[Any, Any, int], ...]
    cells: tuple[list[Any], list[Any], Floats, Floats] | None  # x, y, means and counts [y, x]


def pair_info(
    record: StudyRecord, trials: Sequence[TrialRecord], x: Dimension, y: Dimension
) -> PairInfo:
    """Collect points; very many are averaged over cells, and cells without a trial stay empty."""
    both = [trial for trial in trials if x.name in trial.params and y.name in trial.params]
    points = [
        (trial.params[x.name], trial.params[y.name], value, trial.number)
        for trial in both
        if trial.state == "complete" and (value := score(record, trial)) is not None
    ]
    pruned = [
        (trial.params[x.name], trial.params[y.name], trial.number)
        for trial in both
        if trial.state == "pruned"
    ]
    across, up = Axis(x), Axis(y)
    many = len(points) > MOST_POINTS
    return PairInfo(
        record.objective.metric,
        record.objective.direction,
        across,
        up,
        () if many else tuple(points),
        () if many else tuple(pruned[:: -(-len(pruned) // MOST_PRUNED) or 1]),
        _cells(across, up, points) if many else None,
    )


def pair_figure(info: PairInfo) -> go.Figure:
    """Draw points, or cells."""
    result = go.Figure()
    if info.cells is not None:
        _draw_cells(result, info)
    else:
        _draw_points(result, info)
    plain(result, x=info.x.title, y=info.y.title, height=480)
    result.update_xaxes(**info.x.layout())
    result.update_yaxes(**info.y.layout())
    return result


def _draw_points(result: go.Figure, info: PairInfo) -> None:
    result.add_scatter(
        x=[info.x.shown(x) for x, _, _ in info.pruned],
        y=[info.y.shown(y) for _, y, _ in info.pruned],
        customdata=[number for _, _, number in info.pruned],
        mode="markers",
        marker={"color": faded(GREY, 0.6), "symbol": "x-thin-open", "size": 6},
        name="pruned: no final value",
        hovertemplate="trial %{customdata} was pruned<extra></extra>",
    )
    values = np.array([value for _, _, value, _ in info.points])
    low, high = good_range(values, info.direction)
    result.add_scatter(
        x=[info.x.shown(x) for x, _, _, _ in info.points],
        y=[info.y.shown(y) for _, y, _, _ in info.points],
        customdata=[number for _, _, _, number in info.points],
        text=[f"{value:.4f}" for value in values],
        mode="markers",
        marker={"color": values, "size": 11, "line": {"width": 1, "color": "#444"}}
        | _colours(info, low, high),
        name="complete",
        hovertemplate="trial %{customdata}: %{text}<extra></extra>",
    )


def _draw_cells(result: go.Figure, info: PairInfo) -> None:
    assert info.cells is not None
    x, y, means, counts = info.cells
    scale = _colours(info, *good_range(means, info.direction))
    result.add_heatmap(
        x=x,
        y=y,
        z=means,
        customdata=counts,
        zmin=scale["cmin"],
        zmax=scale["cmax"],
        colorscale=scale["colorscale"],
        reversescale=scale["reversescale"],
        colorbar=scale["colorbar"],
        hoverongaps=False,
        hovertemplate="mean of %{customdata} trials: %{z:.4f}<extra></extra>",
    )


def _colours(info: PairInfo, low: float, high: float) -> dict[str, Any]:
    return {
        "cmin": low,
        "cmax": high,
        "colorscale": SCALE,
        "reversescale": info.direction == "minimize",
        "showscale": True,
        "colorbar": {"title": {"text": escape(info.metric), "side": "right"}, "thickness": 14},
    }


def _cells(
    x: Axis, y: Axis, points: Sequence[tuple[Any, Any, float, int]]
) -> tuple[list[Any], list[Any], Floats, Floats]:
    columns, width, across = _bins(x, [point[0] for point in points])
    rows, height, up = _bins(y, [point[1] for point in points])
    shape = (height, width)
    sums, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(sums, (up, across), [point[2] for point in points])
    np.add.at(counts, (up, across), 1)
    with np.errstate(invalid="ignore"):
        return columns, rows, sums / counts, counts


def _bins(axis: Axis, values: Sequence[Any]) -> tuple[list[Any], int, list[int]]:
    """Return the edges of cells, or the choices, their number, and which one each value is in."""
    choices = axis.dimension.choices
    if choices is not None:
        order = {choice: place for place, choice in enumerate(choices)}
        names = [axis.shown(choice) for choice in choices]
        return names, len(choices), [order[value] for value in values]
    edges = axis.edges(BINS)
    inside = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, BINS - 1)
    return edges, BINS, inside.tolist()
