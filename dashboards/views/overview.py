"""Overview: is the search converging, and what has early stopping saved?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import plotly.graph_objects as go

from dashboards.blocks import Block, Facts, Figure, Heading, Text
from dashboards.theme import BLUE, STATES, escape, plain
from mrtune.study import StudyRecord
from mrtune.wording import duration, number, settings

TITLE = "Overview"
QUESTION = "Is it converging?"

MOST_POINTS = 1000  # of each state


@dataclass(frozen=True)
class Point:
    """A finished trial."""

    number: int
    hours: float  # since the start of the first trial
    value: float
    state: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class OverviewInfo:
    """A study as a whole."""

    metric: str
    points: tuple[Point, ...]  # in the order of their ends
    best: tuple[tuple[float, float], ...]  # (hours, best value so far), a step for each gain
    counts: Mapping[str, int]
    target: int | None
    configurations: int
    epochs_used: float
    epochs_full: float  # had every trial been trained to its end
    eta: float | None  # seconds


def info(record: StudyRecord) -> OverviewInfo:
    """Collect what has come of a study so far."""
    objective = record.objective
    began = min((t.started for t in record.trials if t.started), default=datetime.min)
    ended = sorted((t.ended, t.number) for t in record.trials if t.ended)
    points: list[Point] = []
    best: list[tuple[float, float]] = []
    for end, place in ended:
        trial = record.trials[place]
        value = trial.latest(objective.metric)
        if value is None:
            continue
        hours = (end - began) / timedelta(hours=1)
        points.append(Point(trial.number, hours, value, trial.state, trial.params))
        if trial.state == "complete" and (not best or objective.better(value, best[-1][1])):
            best.append((hours, value))
    begun = [trial for trial in record.trials if trial.state != "waiting" or trial.epoch]
    return OverviewInfo(
        metric=objective.metric,
        points=tuple(points),
        best=tuple(best),
        counts=record.counts,
        target=record.target,
        configurations=len(record.configurations),
        epochs_used=sum(trial.epoch for trial in begun),
        epochs_full=len(begun) * record.epochs if record.space else 0.0,
        eta=record.eta,
    )


def thinned(points: Sequence[Point]) -> list[Point]:
    """Leave points out evenly over time until a page can carry the rest."""
    kept = min(MOST_POINTS, len(points))
    return [points[place * len(points) // kept] for place in range(kept)]


def figure(info: OverviewInfo) -> go.Figure:
    """Draw finished trials over time, and the best so far."""
    result = go.Figure()
    scale, unit = _clock(max((point.hours for point in info.points), default=0.0))
    for state, (symbol, colour) in STATES.items():
        shown = thinned([point for point in info.points if point.state == state])
        if not shown:
            continue
        marks = {"●": "circle", "✂": "triangle-down-open", "✗": "x-thin-open"}
        result.add_scatter(
            x=[point.hours * scale for point in shown],
            y=[point.value for point in shown],
            customdata=[[point.number, escape(settings(point.params))] for point in shown],
            mode="markers",
            name=state,
            marker={"color": colour, "symbol": marks.get(symbol, "circle"), "size": 8},
            hovertemplate="trial %{customdata[0]}: %{y:.4f}<br>%{customdata[1]}<extra></extra>",
        )
    if info.best:
        last = max(point.hours for point in info.points)
        steps = [*info.best, (last, info.best[-1][1])]
        result.add_scatter(
            x=[hours * scale for hours, _ in steps],
            y=[value for _, value in steps],
            mode="lines",
            line={"shape": "hv", "color": BLUE, "width": 2.5},
            name="best so far",
            hovertemplate="best so far: %{y:.4f}<extra></extra>",
        )
    return plain(result, x=f"{unit} since the first trial began", y=escape(info.metric))


def _clock(hours: float) -> tuple[float, str]:
    """Choose a unit of time: how many of it make an hour, and its name."""
    return (60.0, "minutes") if hours < 2 else (1.0, "hours")


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:  # noqa: ARG001
    """Lay the page out."""
    found = info(record)
    target = "" if found.target is None else f" of {found.target}"
    facts = {"configurations": f"{found.configurations}{target}"}
    for state, count in found.counts.items():
        if count:
            facts[f"{STATES[state][0]} {state}"] = number(count)
    facts["epochs trained"] = f"{found.epochs_used:,.0f}"
    if found.epochs_full:
        saved = 1 - found.epochs_used / found.epochs_full
        facts["saved by stopping early"] = f"{saved:.0%} of {found.epochs_full:,.0f} epochs"
    if found.eta is not None:
        facts["ready in about"] = duration(found.eta)
    page: list[Block] = [Facts(facts)]
    best = record.best
    if best is None:
        page.append(Text("No trial is complete yet.", "note"))
    else:
        page.append(
            Text(
                f"Best: {record.objective.metric} {number(best.mean())} of trial {best.number}, "
                f"{settings(best.trials[0].params)}"
            )
        )
    if found.points:
        about = f"{found.metric} of finished trials over time, and the best so far"
        page += [Heading("Trials over time"), Figure("overview", figure(found), about)]
        if max(found.counts.values()) > MOST_POINTS:
            page.append(Text(f"Of each state, {MOST_POINTS:,} points are drawn at most.", "note"))
    return page
