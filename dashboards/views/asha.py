"""Early stopping: who was stopped where, and how close was it?"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dashboards.blocks import Block, Cell, Column, Facts, Figure, Heading, Table, Text
from dashboards.parts.links import trial_link
from dashboards.parts.matrix import Floats, good_range, matrix
from dashboards.parts.ranking import evenly, ranked, score
from dashboards.parts.words import number_cell
from dashboards.theme import BLUE, GREEN, GREY, ORANGE, SCALE, escape, faded, plain
from mrtune.study import Rung, StudyRecord, TrialRecord
from mrtune.wording import number, settings

TITLE = "Early stopping"
QUESTION = "Was the right thing killed?"

MOST_ROWS = 200  # of the heat map
MOST_LISTED = 50
FEWEST_RANKED = 5  # trials of which an order says something
BINS = 40


@dataclass(frozen=True)
class Level:
    """A rung, and what was decided there."""

    rung: int
    first: float  # epoch; trials come to a rung of completion at different ones
    last: float
    came: int
    passed: int
    agreement: float | None  # of the order here with the order at the end, −1 to 1


@dataclass(frozen=True)
class Stop:
    """A trial that was stopped."""

    number: int
    epoch: float
    value: float | None
    rung: int | None = None  # None where no rung stopped it
    threshold: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """How far its value was from what was needed."""
        if self.value is None or self.threshold is None:
            return float("inf")
        return abs(self.value - self.threshold)


@dataclass(frozen=True)
class Heat:
    """Curves as rows, those that came furthest first."""

    numbers: tuple[int, ...]
    epochs: Floats
    values: Floats  # [trial, epoch]
    total: int  # trials, those that are left out included


@dataclass(frozen=True)
class AshaInfo:
    """What early stopping did to a study."""

    metric: str
    direction: str
    pruner: str
    levels: tuple[Level, ...]
    stops: tuple[Stop, ...]  # the closest calls first
    complete: int
    noise: float | None  # std over seeds at a rung
    noise_seeds: int  # trials that it is known from
    heat: Heat

    @property
    def judged(self) -> tuple[Stop, ...]:
        """Those that a rung stopped."""
        return tuple(stop for stop in self.stops if stop.rung is not None)

    @property
    def close_calls(self) -> int | None:
        """Stopped trials whose value was no further from the threshold than seeds differ."""
        if self.noise is None:
            return None
        return sum(stop.gap <= self.noise for stop in self.judged)


def info(record: StudyRecord) -> AshaInfo:
    """Collect the verdicts."""
    stops = [_stop(record, trial) for trial in record.trials if trial.state == "pruned"]
    sign = -1 if record.objective.direction == "maximize" else 1
    stops.sort(key=lambda s: (s.gap, sign * (s.value or 0.0), s.number))
    noise, seeds = _noise(record)
    return AshaInfo(
        metric=record.objective.metric,
        direction=record.objective.direction,
        pruner=str(record.space.get("pruner", "none")),
        levels=_levels(record),
        stops=tuple(stops),
        complete=record.counts["complete"],
        noise=noise,
        noise_seeds=seeds,
        heat=_heat(record),
    )


def funnel(info: AshaInfo) -> go.Figure:
    """Draw how many trials came to each rung, and how many passed."""
    places = [f"rung {level.rung}<br>{_epochs(level)}" for level in info.levels]
    came = [level.came for level in info.levels]
    passed = [level.passed for level in info.levels]
    result = go.Figure()
    result.add_bar(
        x=places,
        y=came,
        name="came to it",
        marker={"color": faded(GREY, 0.35)},
        text=[f"{passing} of {all_} passed" for passing, all_ in zip(passed, came, strict=True)],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y} trials came to %{x}<extra></extra>",
    )
    result.add_bar(
        x=places,
        y=passed,
        name="passed",
        marker={"color": BLUE},
        hovertemplate="%{y} trials passed %{x}<extra></extra>",
    )
    result.add_bar(
        x=["the end"],
        y=[info.complete],
        name="complete",
        marker={"color": GREEN},
        text=[info.complete],
        textposition="outside",
        hovertemplate="%{y} trials are complete<extra></extra>",
    )
    plain(result, y="trials", height=340)
    top = max([*came, info.complete, 1])
    result.update_layout(barmode="overlay", bargap=0.35)
    result.update_xaxes(showgrid=False)
    return result.update_yaxes(range=[0, top * 1.12], tickformat="d")


def histogram(info: AshaInfo) -> go.Figure:
    """Draw when trials were stopped."""
    epochs = np.array([stop.epoch for stop in info.stops])
    whole = bool(np.all(epochs == epochs.round())) and np.ptp(epochs) <= BINS
    first, last = float(epochs.min()), float(epochs.max())
    edges = (
        np.arange(first - 0.5, last + 1) if whole else np.linspace(0, last or 1.0, BINS // 2 + 1)
    )
    counts, _ = np.histogram(epochs, edges)
    result = go.Figure()
    result.add_bar(
        x=((edges[1:] + edges[:-1]) / 2).tolist(),
        y=counts.tolist(),
        width=np.diff(edges).tolist(),
        customdata=np.stack([edges[:-1], edges[1:]], axis=1).round(3).tolist(),
        marker={"color": ORANGE, "line": {"width": 1, "color": "white"}},
        hovertemplate="%{y} stopped, epochs %{customdata[0]} to %{customdata[1]}<extra></extra>",
    )
    plain(result, x="epoch at which it was stopped", y="trials", height=300)
    return result.update_xaxes(rangemode="tozero", range=[0, float(edges[-1]) * 1.02])


def figure(info: AshaInfo) -> go.Figure:
    """Draw curves as a heat map: the ragged edge is where trials were stopped."""
    low, high = good_range(info.heat.values, info.direction)
    result = go.Figure()
    result.add_heatmap(
        x=info.heat.epochs.round(4),
        y=[str(number) for number in info.heat.numbers],
        z=info.heat.values.astype(np.float32),
        colorscale=SCALE,
        reversescale=info.direction == "minimize",
        zmin=low,
        zmax=high,
        colorbar={"title": {"text": escape(info.metric), "side": "right"}, "thickness": 14},
        hovertemplate="trial %{y}, epoch %{x}: %{z:.4f}<extra></extra>",
        hoverongaps=False,
    )
    rows = len(info.heat.numbers)
    plain(result, x="epoch", y="trial", height=min(640, 180 + 12 * rows))
    result.update_yaxes(type="category", autorange="reversed", showgrid=False, nticks=25)
    last = float(info.heat.epochs.max())
    return result.update_xaxes(showgrid=False, zeroline=False, dtick=1 if last <= 20 else None)


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:  # noqa: ARG001
    """Lay the page out."""
    found = info(record)
    page: list[Block] = [Facts(_facts(found, record)), *map(Text, _sentences(found))]
    if found.levels:
        page += [
            Heading("From rung to rung"),
            Figure("funnel", funnel(found), "Trials that came to each rung, and that passed it"),
            _levels_table(found),
        ]
    elif found.stops:
        about = "Epochs at which trials were stopped"
        page += [Heading("When trials were stopped"), Figure("stops", histogram(found), about)]
    if found.heat.epochs.size:
        shown, total = len(found.heat.numbers), found.heat.total
        few = (
            f" Shown are {shown} of {total:,} trials, some of every rank." if shown < total else ""
        )
        page += [
            Heading("All curves"),
            Text(
                "A row is a trial: complete ones on top, the best first, then the others by how "
                "far they came. Yellow is good." + few
            ),
            Figure("heat", figure(found), f"{found.metric} of each trial over the epochs"),
        ]
    if found.stops:
        page += [Heading("The closest calls"), _stops_table(found, record.name)]
    return page


def _stop(record: StudyRecord, trial: TrialRecord) -> Stop:
    last: Rung | None = trial.rungs[-1] if trial.rungs else None
    if last is None or last.kept:
        return Stop(trial.number, trial.epoch, score(record, trial), params=trial.params)
    return Stop(trial.number, last.epoch, last.value, last.rung, last.threshold, trial.params)


def _levels(record: StudyRecord) -> tuple[Level, ...]:
    by_rung: dict[int, list[tuple[TrialRecord, Rung]]] = {}
    for trial in record.trials:
        for rung in trial.rungs:
            by_rung.setdefault(rung.rung, []).append((trial, rung))
    return tuple(
        Level(
            rung=rung,
            first=min(verdict.epoch for _, verdict in verdicts),
            last=max(verdict.epoch for _, verdict in verdicts),
            came=len(verdicts),
            passed=sum(verdict.kept for _, verdict in verdicts),
            agreement=_agreement(
                [(v.value, t.values[0]) for t, v in verdicts if t.state == "complete" and t.values]
            ),
        )
        for rung, verdicts in sorted(by_rung.items())
    )


def _agreement(pairs: list[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation."""
    if len(pairs) < FEWEST_RANKED:
        return None
    early, late = (_ranks(np.array(column)) for column in zip(*pairs, strict=True))
    if np.ptp(early) == 0 or np.ptp(late) == 0:
        return None
    return float(np.corrcoef(early, late)[0, 1])


def _ranks(values: Floats) -> Floats:
    """Number values by their size, ties on average."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place], float)


def _noise(record: StudyRecord) -> tuple[float | None, int]:
    """Pool how much seeds of one configuration differ at one rung."""
    groups: dict[tuple[int, int], list[float]] = {}
    for trial in record.trials:
        for rung in trial.rungs:
            groups.setdefault((trial.config, rung.rung), []).append(rung.value)
    several = [np.array(values) for values in groups.values() if len(values) > 1]
    freedom = sum(len(values) - 1 for values in several)
    if not freedom:
        return None, 0
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in several)
    return sqrt(squares / freedom), sum(len(values) for values in several)


def _heat(record: StudyRecord) -> Heat:
    metric = record.objective.metric
    trials = [trial for trial in ranked(record) if trial.epoch]
    kept = evenly(trials, MOST_ROWS)
    found = matrix(kept, metric)
    return Heat(tuple(t.number for t in kept), found.epochs, found.values, len(trials))


def _facts(info: AshaInfo, record: StudyRecord) -> dict[str, str]:
    facts = {"rule": info.pruner, "✂ stopped early": str(len(info.stops))}
    facts["● complete"] = str(info.complete)
    budget = record.space.get("budget", {})
    if "reduction" in budget and info.levels:
        facts["meant to pass a rung"] = f"1 in {budget['reduction']}"
    if info.close_calls is not None and info.judged:
        facts["within seed noise"] = f"{info.close_calls} of {len(info.judged)}"
    return facts


def _sentences(info: AshaInfo) -> list[str]:
    if not info.stops:
        return ["No trial has been stopped early."]
    said = []
    judged = [stop for stop in info.judged if stop.threshold is not None]
    if judged and info.close_calls is not None and info.noise is not None:
        said.append(
            f"Of {len(judged)} trials that a rung stopped, {info.close_calls} had a value within "
            f"{number(info.noise)} of what was needed: one standard deviation between seeds of a "
            f"configuration at a rung, known from {info.noise_seeds} reports. Another seed might "
            "have let them pass."
        )
    elif judged:
        said.append(
            f"How much seeds differ is not known: no configuration came to a rung with two. "
            f"Of {len(judged)} trials that a rung stopped, the closest call was trial "
            f"{judged[0].number}, {number(judged[0].gap)} away from what was needed."
        )
    by_hand = len(info.stops) - len(info.judged)
    if info.levels and by_hand:
        said.append(f"Stopped by hand, not by a rung: {by_hand}.")
    return said


def _epochs(level: Level) -> str:
    if level.first == level.last:
        return f"epoch {level.first:g}"
    return f"epochs {level.first:.3g} to {level.last:.3g}"


def _levels_table(info: AshaInfo) -> Table:
    columns = [
        Column("rung"),
        Column("epoch", numeric=False),
        Column("came"),
        Column("passed"),
        Column("share"),
        Column("agrees with the end"),
    ]
    rows = [
        [
            Cell(str(level.rung), sort=level.rung),
            Cell(_epochs(level), sort=level.first),
            Cell(str(level.came), sort=level.came),
            Cell(str(level.passed), sort=level.passed),
            Cell(f"{level.passed / level.came:.0%}", sort=level.passed / level.came),
            Cell("–" if level.agreement is None else f"{level.agreement:+.2f}", level.agreement),
        ]
        for level in info.levels
    ]
    about = (
        "Agreement is the rank correlation of values at the rung with final values, over complete "
        "trials: 1 is the same order. What was stopped has no final value; those that are left "
        "were close to each other, and chance has more of a say in their order."
    )
    return Table("levels", columns, rows, about)


def _stops_table(info: AshaInfo, study: str) -> Table:
    columns = [
        Column("trial"),
        Column("stopped at epoch"),
        Column(info.metric),
        Column("needed"),
        Column("away by"),
        Column("parameters", numeric=False),
    ]
    rows = [
        [
            Cell(str(stop.number), sort=stop.number, link=trial_link(study, stop.number)),
            Cell(f"{stop.epoch:g}", sort=stop.epoch),
            number_cell(stop.value),
            number_cell(stop.threshold),
            number_cell(None if stop.threshold is None else stop.gap),
            Cell(settings(stop.params)),
        ]
        for stop in info.stops[:MOST_LISTED]
    ]
    total = len(info.stops)
    few = f"The {len(rows)} closest of {total:,} trials" if total > len(rows) else "All trials"
    return Table("stopped", columns, rows, f"{few} that were stopped early, the closest first")
