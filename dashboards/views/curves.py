"""Learning curves: how do trials learn, and what sets the best apart?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from dashboards.blocks import (
    Block,
    Cell,
    Choice,
    Column,
    Entry,
    Figure,
    Heading,
    Row,
    Table,
    Text,
)
from dashboards.parts.matrix import Floats, good_range, matrix, padded, quantiles
from dashboards.parts.query import picked
from dashboards.parts.ranking import ranked
from dashboards.parts.words import number_cell, state_cell, trial_cell
from dashboards.theme import BLUE, CYCLE, GREY, YELLOW, escape, faded, plain
from mrtune.metrics import DIRECTIONS
from mrtune.study import StudyRecord, TrialRecord
from mrtune.wording import settings

TITLE = "Learning curves"
QUESTION = "How do they learn?"

TOPS = ("3", "5", "10")
MOST_LINES = 20
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
DASHES = ("solid", "dash", "dot")  # lines that share a colour differ in these


@dataclass(frozen=True)
class Line:
    """The curve of one trial."""

    trial: TrialRecord
    epochs: tuple[float, ...]
    values: tuple[float | None, ...]
    chosen: bool  # by the reader, not for being among the best


@dataclass(frozen=True)
class CurvesInfo:
    """A metric over the epochs."""

    metric: str
    metrics: tuple[str, ...]  # all that have curves
    epochs: Floats
    bands: Floats  # [share, epoch], by SHARES
    counts: NDArray[np.int64]  # trials that have reported, [epoch]
    lines: tuple[Line, ...]
    absent: tuple[int, ...]  # chosen trials that are not there
    shown: tuple[float, float]  # of the values


def info(
    record: StudyRecord, metric: str = "", top: int = 5, chosen: Sequence[int] = ()
) -> CurvesInfo:
    """Sum the curves of a metric up, and pick a few of them."""
    metrics = metric_names(record)
    if metric not in metrics:
        metric = record.objective.metric
    with_curve = [trial for trial in record.trials if trial.curves.get(metric)]
    found = matrix(with_curve, metric)
    bands, counts = quantiles(found.values, SHARES)
    there = {trial.number: trial for trial in record.trials}
    best = [trial for trial in ranked(record, with_curve) if trial.state != "fail"][:top]
    picked_by_reader = [there[number] for number in chosen if number in there]
    both = {trial.number: trial for trial in (*picked_by_reader, *best)}
    lines = [
        Line(
            trial,
            tuple(float(epoch or 0) for epoch in trial.curves["epoch"]),
            tuple(trial.curves[metric]),
            trial in picked_by_reader,
        )
        for trial in list(both.values())[:MOST_LINES]
        if trial.curves.get(metric)
    ]
    return CurvesInfo(
        metric=metric,
        metrics=metrics,
        epochs=found.epochs,
        bands=bands,
        counts=counts,
        lines=tuple(sorted(lines, key=lambda line: line.chosen)),
        absent=tuple(number for number in chosen if number not in there),
        shown=good_range(found.values, direction_of(record, metric)),
    )


def metric_names(record: StudyRecord) -> tuple[str, ...]:
    """Name all metrics that have curves: the objectives, then those of the whole, then parts."""
    names = dict.fromkeys(chain.from_iterable(trial.curves for trial in record.trials))
    names.pop("epoch", None)
    first = [objective.metric for objective in record.objectives]
    order = {name: place for place, name in enumerate(names)}

    def key(name: str) -> tuple[bool, bool, int]:
        return (name not in first, "/" in name, order[name])

    return tuple(sorted(names, key=key))


def direction_of(record: StudyRecord, metric: str) -> str:
    """Return which way a metric gets better; of what nobody says, losses go down."""
    for objective in record.objectives:
        if objective.metric == metric:
            return objective.direction
    stem = metric.partition("/")[0]
    return DIRECTIONS.get(stem, "minimize" if "loss" in stem else "maximize")


def figure(info: CurvesInfo) -> go.Figure:
    """Draw the bands, a few curves over them, and below how many trials they are made of."""
    result = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.82, 0.18], vertical_spacing=0.04
    )
    _draw_bands(result, info)
    for place, line in enumerate(info.lines):
        _draw_line(result, line, place)
    result.add_scatter(
        x=info.epochs,
        y=info.counts,
        mode="lines",
        line={"color": GREY, "width": 1.5, "shape": "hv"},
        fill="tozeroy",
        fillcolor=faded(GREY, 0.25),
        showlegend=False,
        hovertemplate="%{y} trials at epoch %{x}<extra></extra>",
        row=2,
        col=1,
    )
    plain(result, height=560)
    result.update_layout(
        legend={"orientation": "v", "x": 1.01, "y": 1, "xanchor": "left", "yanchor": "top"},
        margin={"t": 24},
        hovermode="closest",
    )
    result.update_xaxes(title_text="epoch", row=2, col=1)
    result.update_yaxes(title_text=escape(info.metric), range=padded(*info.shown), row=1, col=1)
    return result.update_yaxes(title_text="trials", rangemode="tozero", nticks=3, row=2, col=1)


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    top = int(picked(query, "top", TOPS, "5"))
    chosen = numbers_in(query.get("trials", ""))
    found = info(record, query.get("metric", ""), top, chosen)
    if not found.metrics:
        return [Text("No trial has reported yet.", "note")]
    controls = Row(
        [
            Choice("metric", "Metric", {name: name for name in found.metrics}, found.metric),
            Choice("top", "Best", {count: f"best {count}" for count in TOPS}, str(top)),
            Entry("trials", "Trials", query.get("trials", ""), "3, 17"),
        ]
    )
    page: list[Block] = [controls]
    if found.absent:
        absent = ", ".join(map(str, found.absent[:5]))
        page.append(Text(f"There is no trial {absent} in this study.", "warning"))
    if not found.epochs.size:
        return [*page, Text(f"No trial has reported a finite {found.metric}.", "note")]
    if found.counts[-1] < found.counts[0]:
        page.append(
            Text(
                "Trials that are stopped early leave the bands: further right, these show only "
                "those that were good enough to go on."
            )
        )
    about = f"{found.metric} over the epochs: bands of all trials, and the curves of a few"
    page.append(Figure("curves", figure(found), about))
    if found.lines:
        page += [Heading("Curves shown"), _table(record, found)]
    return page


def numbers_in(text: str) -> list[int]:
    """Read the numbers of trials out of what somebody typed."""
    found = dict.fromkeys(int(digits) for digits in re.findall(r"[0-9]{1,9}", text))
    return list(found)[:MOST_LINES]


def _draw_bands(result: go.Figure, info: CurvesInfo) -> None:
    x = np.concatenate([info.epochs, info.epochs[::-1]])
    for low, high, alpha, name in ((0, 4, 0.14, "10 to 90 %"), (1, 3, 0.24, "25 to 75 %")):
        result.add_scatter(
            x=x,
            y=np.concatenate([info.bands[high], info.bands[low][::-1]]),
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=faded(BLUE, alpha),
            name=f"{name} of all",
            hoverinfo="skip",
            row=1,
            col=1,
        )
    result.add_scatter(
        x=info.epochs,
        y=info.bands[2],
        customdata=info.bands[[0, 4]].T,
        mode="lines",
        line={"color": BLUE, "width": 2.5},
        name="median of all",
        hovertemplate="median %{y:.4f}, 10 to 90 %: %{customdata[0]:.4f} to %{customdata[1]:.4f}"
        "<extra></extra>",
        row=1,
        col=1,
    )


def _draw_line(result: go.Figure, line: Line, place: int) -> None:
    colours = [colour for colour in CYCLE if colour not in {BLUE, GREY, YELLOW}]
    number = line.trial.number
    result.add_scatter(
        x=line.epochs,
        y=line.values,
        customdata=[escape(settings(line.trial.params))] * len(line.epochs),
        mode="lines+markers" if len(line.epochs) < 3 or line.chosen else "lines",
        marker={"size": 5},
        line={
            "color": colours[place % len(colours)],
            "dash": DASHES[place // len(colours) % len(DASHES)],
            "width": 2.2 if line.chosen else 1.6,
        },
        name=f"trial {number}" + (" (chosen)" if line.chosen else ""),
        hovertemplate=f"trial {number}, epoch %{{x}}: %{{y:.4f}}<br>%{{customdata}}<extra></extra>",
        row=1,
        col=1,
    )


def _table(record: StudyRecord, info: CurvesInfo) -> Table:
    columns = [
        Column("trial"),
        Column("state", numeric=False),
        Column("epoch"),
        Column(f"{info.metric}, last"),
        Column("lowest"),
        Column("highest"),
        Column("parameters", numeric=False),
    ]
    rows = []
    for line in info.lines:
        finite = [value for value in line.values if value is not None]
        rows.append(
            [
                trial_cell(record.name, line.trial),
                state_cell(line.trial),
                Cell(f"{line.epochs[-1]:g}", sort=line.epochs[-1]),
                number_cell(finite[-1] if finite else None),
                number_cell(min(finite, default=None)),
                number_cell(max(finite, default=None)),
                Cell(settings(line.trial.params)),
            ]
        )
    return Table("curves", columns, rows, "The best trials, and those that were chosen")
