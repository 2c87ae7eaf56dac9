"""Roaming vs p: the paper's first figure, left."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.blocks import Block, Cell, Column, Figure, Heading, Table, Text
from dashboards.parts.grouping import LEVEL, counted, measured, nothing_yet, summary_cells
from dashboards.parts.measure import asked, choices
from dashboards.parts.roaming_info import AtP, RoamingPInfo, info
from dashboards.theme import BLUE, GREEN, GREY, ORANGE, escape, plain
from mrtune.metrics import Paired, Summary
from mrtune.study import StudyRecord
from mrtune.wording import chance, number, signed, spread

__all__ = ["QUESTION", "TITLE", "RoamingPInfo", "blocks", "figure", "info"]

TITLE = "Roaming vs p"
QUESTION = "Which p, and does roaming help?"
NEEDS = (
    "This page compares partitions that roam (method mr, r > 0) with fixed ones (method tr, or "
    "r = 0) at each p. `mrtune search celeba --space celeba_p` makes such a study, and "
    "`mrtune search fashion --space fashion_p` a small one."
)
ERROR = "#555555"  # seen on bars, and on pages of either theme


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
    places = [_label(at) for at in info.at]
    _bars(result, info, "fixed", ORANGE, [at.fixed for at in info.at])
    _bars(result, info, "roaming", BLUE, [at.roaming for at in info.at])
    for significant, symbol in ((True, "circle"), (False, "circle-open")):
        _gains(result, info, significant, symbol)
    plain(result, height=560 if gains else 420)
    result.update_layout(barmode="group", bargap=0.25, bargroupgap=0.06, showlegend=True)
    result.update_xaxes(type="category", categoryarray=places, categoryorder="array")
    about_p = "p, to the nearest 0.1" if info.drawn else "p, share of the units that a task holds"
    below = f"<br>below: {escape(', '.join(info.varied))}" if info.varied else ""
    result.update_xaxes(title_text=about_p + below, row=1 + gains, col=1)
    result.update_yaxes(title_text=escape(info.measure.name), row=1, col=1)
    result.update_yaxes(range=_range(info), row=1, col=1)
    if gains:
        result.add_hline(y=0, line={"color": GREY, "width": 1}, row=2, col=1)
        result.update_yaxes(title_text="gain by roaming", row=2, col=1)
    return result


def _label(at: AtP) -> str:
    """Write p, and below it the values of what else is varied: short enough for a phone."""
    return "<br>".join([f"{at.p:g}", *(escape(number(value)) for value in at.others)])


def _named(info: RoamingPInfo, ats: Sequence[AtP]) -> str:
    """Name rows: p = 0.3, 0.5; or each by all that it has."""
    if not info.varied:
        return f"p = {', '.join(f'{at.p:g}' for at in ats)}"
    return "; ".join(
        f"p = {at.p:g} with "
        + ", ".join(
            f"{name} {number(value)}" for name, value in zip(info.varied, at.others, strict=True)
        )
        for at in ats
    )


def _bars(
    result: go.Figure,
    info: RoamingPInfo,
    name: str,
    colour: str,
    summaries: Sequence[Summary | None],
) -> None:
    shown = [(at, s) for at, s in zip(info.at, summaries, strict=True) if s is not None]
    if not shown:
        return
    n = counted(s for _, s in shown)
    result.add_bar(
        x=[_label(at) for at, _ in shown],
        y=[s.mean for _, s in shown],
        error_y={
            "type": "data",
            "array": [s.std if isfinite(s.std) else None for _, s in shown],
            "thickness": 1.5,
            "width": 3,
            "color": ERROR,
        },
        customdata=[[escape(_named(info, [at])), spread(s.mean, s.std), s.n] for at, s in shown],
        marker={"color": colour},
        name=f"{name}, mean ± std (n = {n})",
        hovertemplate=f"{name}, %{{customdata[0]}}: %{{customdata[1]}} (n = %{{customdata[2]}})"
        "<extra></extra>",
        row=1,
        col=1,
    )


def _gains(result: go.Figure, info: RoamingPInfo, significant: bool, symbol: str) -> None:
    shown = [at for at in info.at if isfinite(at.difference) and at.significant == significant]
    if not shown:
        return
    result.add_scatter(
        x=[_label(at) for at in shown],
        y=[at.difference for at in shown],
        error_y={
            "type": "data",
            "array": [_margin(at.gain) for at in shown],
            "thickness": 1.5,
            "width": 4,
            "color": GREEN,
        },
        customdata=[
            [escape(_named(info, [at])), signed(at.difference), at.gain.n, chance(at.p_holm)]
            for at in shown
        ],
        mode="markers",
        marker={"color": GREEN, "symbol": symbol, "size": 9, "line": {"color": GREEN, "width": 2}},
        name="gain ± 95 %, significant" if significant else "gain ± 95 %, may be chance",
        hovertemplate="%{customdata[0]}: %{customdata[1]} over %{customdata[2]} seeds, "
        "corrected p-value %{customdata[3]}<extra></extra>",
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
        (s, name, at)
        for at in info.at
        for s, name in ((at.roaming, "roaming"), (at.fixed, "fixed"))
        if s is not None and isfinite(s.mean)
    ]
    if not kinds:
        return f"{info.measure.name} is not a number in some training at every p."
    best = max(kinds, key=lambda kind: info.measure.sign * kind[0].mean)
    text = (
        f"Best: {best[1]} at {_named(info, [best[2]])}, {info.measure.name} "
        f"{spread(best[0].mean, best[0].std)} (n = {best[0].n}). "
    )
    one, several = ("setting", "settings") if info.varied else ("p", "p")
    both = [at for at in info.at if isfinite(at.difference)]
    if not both:
        return text + f"No {one} has both a roaming and a fixed partition on the same seed."
    helped = [at for at in both if at.difference > 0]
    sure = [(at, at.difference) for at in both if at.significant]
    text += f"Roaming is better at {len(helped)} of {len(both)} {several}"
    beyond = _significantly(info, sure, "better", "worse") or "; none of these gains is significant"
    return f"{text}{beyond}.{_over_best(info, several)}"


def _significantly(
    info: RoamingPInfo, sure: Sequence[tuple[AtP, float]], better: str, worse: str
) -> str:
    """Say where differences are more than chance, if anywhere."""
    parts = [
        f"significantly {word} at {_named(info, group)}"
        for word, sign in ((better, 1), (worse, -1))
        if (group := [at for at, difference in sure if sign * difference > 0])
    ]
    return f", {' and '.join(parts)}" if parts else ""


def _over_best(info: RoamingPInfo, several: str) -> str:
    """Say where roaming is ahead of every fixed partition, if there are several."""
    known = [at for at in info.at if isfinite(at.over_best.difference)]
    if info.best_fixed is None or not known or sum(at.fixed is not None for at in info.at) < 2:
        return ""
    ahead = [at for at in known if at.over_best.difference > 0]
    sure = [(at, at.over_best.difference) for at in known if at.p_over_best < LEVEL]
    best = _named(info, [info.best_fixed])
    text = f" It is ahead of the best fixed partition ({best}) at {len(ahead)} of {len(known)} "
    beyond = _significantly(info, sure, "ahead", "behind")
    return f"{text}{several}{beyond or '; none of these differences is significant'}."


def table(info: RoamingPInfo) -> Table:
    """Write the same numbers."""
    means = [
        s.mean for at in info.at for s in (at.roaming, at.fixed) if s and isfinite(s.mean)
    ] or [nan]
    best = max(means, key=lambda mean: info.measure.sign * mean)
    rows = []
    for at in info.at:
        low, high, ahead = at.gain.low, at.gain.high, at.over_best.difference
        interval = f"{signed(low)} to {signed(high)}" if isfinite(low) else "–"
        rows.append(
            [
                *(Cell(number(value)) for value in at.others),
                Cell(f"{at.p:g}", at.p),
                *summary_cells(at.roaming, at.roaming is not None and at.roaming.mean == best),
                *summary_cells(at.fixed, at.fixed is not None and at.fixed.mean == best),
                measured(signed(at.difference), at.difference, at.significant),
                Cell(interval),
                Cell(str(at.gain.n), at.gain.n),
                measured(chance(at.p_holm), at.p_holm),
                measured(signed(ahead), ahead, at.p_over_best < LEVEL),
                measured(chance(at.p_over_best), at.p_over_best),
            ]
        )
    titles = ("p", "roaming", "n", "fixed", "n", "gain", "95 % interval", "seeds in common")
    tested = ("p-value (Holm)", "over the best fixed", "p-value (Holm)")
    varied = [
        Column(name, numeric=not any(isinstance(at.others[place], str) for at in info.at))
        for place, name in enumerate(info.varied)
    ]
    return Table(
        "roaming_p",
        [*varied, *(Column(title) for title in (*titles, *tested))],
        rows,
        f"{info.measure.about}, mean ± std; gain of roaming over the fixed partition of its row "
        "and over the best of all rows, on the seeds in common, paired t-tests, corrected for all "
        "rows; a strong gain is significant at 5 %",
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
    if not any(at.gain.n for at in found.at):
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
