"""Roaming vs p: the paper's first figure, left."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.blocks import Block, Cell, Column, Figure, Heading, Table, Text
from dashboards.parts.grouping import (
    LEVEL,
    Run,
    by_seed,
    counted,
    grouped,
    is_drawn,
    measured,
    nothing_yet,
    pooled,
    rounded,
    runs,
    summary,
    summary_cells,
)
from dashboards.parts.measure import Measure, asked, choices, objective_of
from dashboards.theme import BLUE, GREEN, GREY, ORANGE, escape, plain
from mrtune.metrics import Paired, Summary, holm, paired
from mrtune.study import StudyRecord
from mrtune.wording import chance, number, signed, spread

TITLE = "Roaming vs p"
QUESTION = "Which p, and does roaming help?"
NEEDS = (
    "This page compares partitions that roam (method mr, r > 0) with fixed ones (method tr, or "
    "r = 0) at each p. `mrtune search celeba --space celeba_p` makes such a study, and "
    "`mrtune search fashion --space fashion_p` a small one."
)
STEP = 0.1  # to which values of p that were drawn from a range are rounded
ERROR = "#555555"  # seen on bars, and on pages of either theme


@dataclass(frozen=True)
class AtP:
    """Both kinds of partition at one p."""

    p: float
    roaming: Summary | None
    fixed: Summary | None
    gain: Paired | None  # of roaming, over the seeds that both have; more is better
    p_holm: float  # corrected for all p

    @property
    def difference(self) -> float:
        """The mean gain; NaN without a seed in common."""
        return nan if self.gain is None else self.gain.difference

    @property
    def significant(self) -> bool:
        """Whether the gain is more than chance."""
        return self.p_holm < LEVEL


@dataclass(frozen=True)
class RoamingPInfo:
    """What roaming brings at each p."""

    measure: Measure
    at: tuple[AtP, ...]  # by p
    drawn: bool  # p is rounded to steps of 0.1
    pooled: bool  # a bar may be of several configurations
    left_out: int  # trials whose p is not one number


def info(record: StudyRecord, measure: Measure | None = None) -> RoamingPInfo:
    """Summarise complete trials with a partition by p."""
    measure = measure or objective_of(record)
    partitioned = [run for run in runs(record, measure) if run.roams or run.fixed]
    known = [run for run in partitioned if run.p is not None]
    drawn = is_drawn(record, "p", [run.p for run in known if run.p is not None])

    def place(run: Run) -> float | None:
        return None if run.p is None else rounded(run.p, STEP if drawn else None)

    roaming = grouped((run for run in known if run.roams), place)
    fixed = grouped((run for run in known if run.fixed), place)
    gain = measure.sign
    ps = sorted(roaming.keys() | fixed.keys())
    pairs = [
        paired(by_seed(roaming[p], gain), by_seed(fixed[p], gain))
        if p in roaming and p in fixed
        else None
        for p in ps
    ]
    corrected = holm([nan if pair is None else pair.p for pair in pairs])
    return RoamingPInfo(
        measure=measure,
        at=tuple(
            AtP(
                p,
                summary(roaming[p]) if p in roaming else None,
                summary(fixed[p]) if p in fixed else None,
                pair,
                p_holm,
            )
            for p, pair, p_holm in zip(ps, pairs, corrected, strict=True)
        ),
        drawn=drawn,
        pooled=pooled([*roaming.values(), *fixed.values()]),
        left_out=len(partitioned) - len(known),
    )


def figure(info: RoamingPInfo) -> go.Figure:
    """Draw both means at each p, and the gain below where there is one."""
    gains = any(isfinite(at.difference) for at in info.at)
    result = make_subplots(
        rows=1 + gains,
        cols=1,
        shared_xaxes=True,
        row_heights=[0.64, 0.36] if gains else None,
        vertical_spacing=0.06,
    )
    places = [f"{at.p:g}" for at in info.at]
    _bars(result, places, "fixed", ORANGE, [at.fixed for at in info.at])
    _bars(result, places, "roaming", BLUE, [at.roaming for at in info.at])
    for significant, symbol in ((True, "circle"), (False, "circle-open")):
        _gains(result, info, significant, symbol)
    plain(result, height=560 if gains else 420)
    result.update_layout(barmode="group", bargap=0.25, bargroupgap=0.06, showlegend=True)
    result.update_xaxes(type="category", categoryarray=places, categoryorder="array")
    about_p = "p, to the nearest 0.1" if info.drawn else "p, share of the units that a task holds"
    result.update_xaxes(title_text=about_p, row=1 + gains, col=1)
    result.update_yaxes(title_text=escape(info.measure.name), row=1, col=1)
    result.update_yaxes(range=_range(info), row=1, col=1)
    if gains:
        result.add_hline(y=0, line={"color": GREY, "width": 1}, row=2, col=1)
        result.update_yaxes(title_text="gain by roaming", row=2, col=1)
    return result


def _bars(
    result: go.Figure,
    places: list[str],
    name: str,
    colour: str,
    summaries: list[Summary | None],
) -> None:
    shown = [(place, s) for place, s in zip(places, summaries, strict=True) if s is not None]
    if not shown:
        return
    n = counted(s for _, s in shown)
    result.add_bar(
        x=[place for place, _ in shown],
        y=[s.mean for _, s in shown],
        error_y={
            "type": "data",
            "array": [s.std if isfinite(s.std) else None for _, s in shown],
            "thickness": 1.5,
            "width": 3,
            "color": ERROR,
        },
        customdata=[[spread(s.mean, s.std), s.n] for _, s in shown],
        marker={"color": colour},
        name=f"{name}, mean ± std (n = {n})",
        hovertemplate=f"{name}, p = %{{x}}: %{{customdata[0]}} (n = %{{customdata[1]}})"
        "<extra></extra>",
        row=1,
        col=1,
    )


def _gains(result: go.Figure, info: RoamingPInfo, significant: bool, symbol: str) -> None:
    shown = [
        (at, at.gain)
        for at in info.at
        if at.gain is not None and isfinite(at.gain.difference) and at.significant == significant
    ]
    if not shown:
        return
    result.add_scatter(
        x=[f"{at.p:g}" for at, _ in shown],
        y=[gain.difference for _, gain in shown],
        error_y={
            "type": "data",
            "array": [_margin(gain) for _, gain in shown],
            "thickness": 1.5,
            "width": 4,
            "color": GREEN,
        },
        customdata=[[signed(gain.difference), gain.n, chance(at.p_holm)] for at, gain in shown],
        mode="markers",
        marker={"color": GREEN, "symbol": symbol, "size": 9, "line": {"color": GREEN, "width": 2}},
        name="gain ± 95 %, significant" if significant else "gain ± 95 %, may be chance",
        hovertemplate="p = %{x}: %{customdata[0]} over %{customdata[1]} seeds, "
        "corrected p-value %{customdata[2]}<extra></extra>",
        row=2,
        col=1,
    )


def _margin(gain: Paired) -> float | None:
    return gain.high - gain.difference if isfinite(gain.high) else None


def _range(info: RoamingPInfo) -> list[float] | None:
    """Fit the axis to the bars: differences that matter are small beside the values."""
    ends = [
        end
        for at in info.at
        for s in (at.roaming, at.fixed)
        if s is not None and isfinite(s.mean)
        for end in (s.mean - _finite(s.std), s.mean + _finite(s.std))
    ]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    room = (high - low) or abs(high) or 1.0
    return [low - 0.25 * room, high + 0.08 * room]


def _finite(std: float) -> float:
    return std if isfinite(std) else 0.0


def verdict(info: RoamingPInfo) -> str:
    """Answer both questions in words."""
    kinds = [
        (s, name, at.p)
        for at in info.at
        for s, name in ((at.roaming, "roaming"), (at.fixed, "fixed"))
        if s is not None and isfinite(s.mean)
    ]
    if not kinds:
        return f"{info.measure.name} is not a number in some training at every p."
    best = max(kinds, key=lambda kind: info.measure.sign * kind[0].mean)
    text = (
        f"Best: {best[1]} at p = {best[2]:g}, {info.measure.name} "
        f"{spread(best[0].mean, best[0].std)} (n = {best[0].n}). "
    )
    both = [at for at in info.at if isfinite(at.difference)]
    if not both:
        return text + "No p has both a roaming and a fixed partition on the same seed."
    helped = [at for at in both if at.difference > 0]
    sure = [at for at in both if at.significant]
    text += f"Roaming is better at {len(helped)} of {len(both)} p"
    if not sure:
        return text + "; none of these gains is significant."
    worse = [at for at in sure if at.difference < 0]
    parts = [
        f"significantly {word} at p = {', '.join(f'{at.p:g}' for at in group)}"
        for word, group in (("better", [at for at in sure if at not in worse]), ("worse", worse))
        if group
    ]
    return f"{text}, {' and '.join(parts)}."


def table(info: RoamingPInfo) -> Table:
    """Write the same numbers."""
    means = [
        s.mean for at in info.at for s in (at.roaming, at.fixed) if s and isfinite(s.mean)
    ] or [nan]
    best = max(means, key=lambda mean: info.measure.sign * mean)
    rows = []
    for at in info.at:
        low, high = (at.gain.low, at.gain.high) if at.gain else (nan, nan)
        interval = f"{signed(low)} to {signed(high)}" if isfinite(low) else "–"
        rows.append(
            [
                Cell(f"{at.p:g}", at.p),
                *summary_cells(at.roaming, at.roaming is not None and at.roaming.mean == best),
                *summary_cells(at.fixed, at.fixed is not None and at.fixed.mean == best),
                measured(signed(at.difference), at.difference, at.significant),
                Cell(interval),
                Cell(number(at.gain.n) if at.gain else "0", at.gain.n if at.gain else 0),
                measured(chance(at.p_holm), at.p_holm),
            ]
        )
    titles = ("p", "roaming", "n", "fixed", "n", "gain", "95 % interval", "seeds in common")
    return Table(
        "roaming_p",
        [Column(title) for title in (*titles, "p-value (Holm)")],
        rows,
        f"{info.measure.about}, mean ± std; gain of roaming over the seeds in common, paired "
        "t-test, corrected for all p; a strong gain is significant at 5 %",
    )


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    nothing = nothing_yet(record)
    if nothing is not None:
        return [nothing]
    found = info(record, asked(record, query))
    if not found.at:
        return [*choices(record, found.measure), Text(NEEDS, "note")]
    page: list[Block] = [
        Text(verdict(found)),
        *choices(record, found.measure),
        Heading("Roaming and fixed partitions at each p"),
        Figure(
            "roaming_p",
            figure(found),
            f"{found.measure.about} with roaming and fixed partitions at each p, and the gain by "
            "roaming with its 95 % interval. The upper axis does not start at 0.",
        ),
        table(found),
    ]
    if not any(at.gain for at in found.at):
        page.append(Text(NEEDS, "note"))
    if found.pooled:
        page.append(
            Text(
                "Some bars are of several configurations, which differ in more than p: "
                "n counts trainings, and a seed's value is the mean over them.",
                "note",
            )
        )
    if found.left_out:
        page.append(
            Text(f"Trials left out, as their p is not one number: {found.left_out}.", "note")
        )
    return page
