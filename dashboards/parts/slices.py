"""The objective against each parameter, a small picture for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.parts.axes import Axis
from dashboards.parts.matrix import good_range, padded
from dashboards.parts.ranking import evenly, score
from dashboards.theme import BLUE, ORANGE, escape, faded, plain
from mrtune.study import StudyRecord, TrialRecord
from mrtune.study.dimensions import Dimension

MOST_SLICES = 12
MOST_POINTS = 300  # of each state in each slice
COLUMNS = 3


@dataclass(frozen=True)
class Slice:
    """Points of one parameter, by the state of their trials."""

    axis: Axis
    points: dict[str, list[tuple[Any, float, int]]]  # state → (parameter, objective, trial)


@dataclass(frozen=True)
class SlicesInfo:
    """The objective against each parameter."""

    metric: str
    slices: tuple[Slice, ...]
    shown: tuple[float, float]
    drawn: int  # trials
    total: int


def slices_info(
    record: StudyRecord, trials: Sequence[TrialRecord], dimensions: Sequence[Dimension]
) -> SlicesInfo:
    """Collect points; `trials` are in order of rank."""
    by_state: dict[str, list[tuple[TrialRecord, float]]] = {}
    for state in ("pruned", "complete"):
        kept = evenly([trial for trial in trials if trial.state == state], MOST_POINTS)
        with_value = ((trial, score(record, trial)) for trial in kept)
        by_state[state] = [(trial, value) for trial, value in with_value if value is not None]
    complete = by_state["complete"] or by_state["pruned"]
    return SlicesInfo(
        metric=record.objective.metric,
        slices=tuple(
            Slice(
                Axis(dimension),
                {
                    state: [
                        (trial.params[dimension.name], value, trial.number)
                        for trial, value in found
                        if dimension.name in trial.params
                    ]
                    for state, found in by_state.items()
                },
            )
            for dimension in dimensions[:MOST_SLICES]
        ),
        shown=good_range(np.array([value for _, value in complete]), record.objective.direction),
        drawn=sum(map(len, by_state.values())),
        total=len(trials),
    )


def slices_figure(info: SlicesInfo) -> go.Figure:
    """Draw complete trials in full, pruned ones faintly: their values are of fewer epochs."""
    columns = min(COLUMNS, len(info.slices))
    rows = -(-len(info.slices) // columns)
    result = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.3 / rows,
    )
    looks = {
        "pruned": {"color": faded(ORANGE, 0.55), "symbol": "triangle-down-open", "size": 5},
        "complete": {"color": faded(BLUE, 0.75), "symbol": "circle", "size": 6},
    }
    for place, part in enumerate(info.slices):
        at = {"row": place // columns + 1, "col": place % columns + 1}
        for state, look in looks.items():
            points = part.points[state]
            result.add_scatter(
                x=[part.axis.shown(param) for param, _, _ in points],
                y=[value for _, value, _ in points],
                customdata=[number for _, _, number in points],
                mode="markers",
                marker=look,
                name=state,
                legendgroup=state,
                showlegend=place == 0 and bool(points),
                hovertemplate="trial %{customdata}: %{y:.4f} at %{x}<extra></extra>",
                **at,
            )
    plain(result, height=90 + 250 * rows)
    for place, part in enumerate(info.slices):
        at = {"row": place // columns + 1, "col": place % columns + 1}
        title = {"text": part.axis.title, "standoff": 4}
        result.update_xaxes(title=title, **part.axis.layout(), **at)
    result.update_yaxes(range=padded(*info.shown))
    return result.update_yaxes(title_text=escape(info.metric), col=1)
