"""Selection: the paper's first figure, right."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan

import plotly.graph_objects as go

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
from dashboards.theme import BLUE, GREY, ORANGE, escape, faded, plain
from mrtune.metrics import Paired, Summary, holm, paired
from mrtune.study import StudyRecord
from mrtune.wording import chance, signed, spread

TITLE = "Selection"
QUESTION = "Does randomness matter?"
NEEDS = (
    "This page compares units that are drawn at random (selection uniform) with units that are "
    "chosen by similarity (selection cosine), over r. "
    "`mrtune search celeba --space celeba_selection` makes such a study."
)
RULES = {"uniform": BLUE, "cosine": ORANGE}
STEP = 0.25  # to which values of r that were drawn from a range are rounded


@dataclass(frozen=True)
class AtR:
    """Both selections at one r."""

    r: float
    by: Mapping[str, Summary]  # selection → summary
    gain: Paired | None  # of uniform over cosine; more is better
    p_holm: float  # corrected for all r


@dataclass(frozen=True)
class SelectionInfo:
    """What choosing units at random brings at each r."""

    measure: Measure
    fixed: Summary | None  # r = 0: nothing is selected, so both have it in common
    at: tuple[AtR, ...]  # by r, which is more than 0
    pooled: bool  # a point may be of several configurations


def info(record: StudyRecord, measure: Measure | None = None) -> SelectionInfo:
    """Summarise complete trials of Maximum Roaming by r and selection."""
    measure = measure or objective_of(record)
    roaming = [run for run in runs(record, measure) if run.method == "mr" and run.r is not None]
    drawn = is_drawn(record, "r", [run.r or 0.0 for run in roaming])

    def place(run: Run) -> float | None:
        if not run.r:
            return None
        return max(STEP, rounded(run.r, STEP)) if drawn else rounded(run.r, None)

    groups = {
        rule: grouped((run for run in roaming if run.selection == rule), place) for rule in RULES
    }
    rs = sorted({r for group in groups.values() for r in group})
    gain = measure.sign
    pairs = []
    for r in rs:
        uniform, cosine = (by_seed(groups[rule].get(r, ()), gain) for rule in RULES)
        pairs.append(paired(uniform, cosine) if uniform and cosine else None)
    corrected = holm([nan if pair is None else pair.p for pair in pairs])
    zero = [run for run in roaming if run.r == 0]
    return SelectionInfo(
        measure=measure,
        fixed=summary(zero) if zero else None,
        at=tuple(
            AtR(r, {rule: summary(groups[rule][r]) for rule in RULES if r in groups[rule]}, pair, p)
            for r, pair, p in zip(rs, pairs, corrected, strict=True)
        ),
        pooled=pooled(group for of_rule in groups.values() for group in of_rule.values()),
    )


def figure(info: SelectionInfo) -> go.Figure:
    """Draw a line and a band for each selection, from the point that they share."""
    result = go.Figure()
    start = [] if info.fixed is None else [(0.0, info.fixed)]
    for rule, colour in RULES.items():
        line = [*start, *((at.r, at.by[rule]) for at in info.at if rule in at.by)]
        line = [(r, s) for r, s in line if isfinite(s.mean)]
        if line[len(start) :]:
            _band(result, line, colour)
            _line(result, line, rule, colour)
    if info.fixed is not None and isfinite(info.fixed.mean):
        result.add_scatter(
            x=[0],
            y=[info.fixed.mean],
            mode="markers",
            marker={"color": GREY, "symbol": "diamond", "size": 12},
            name=f"r = 0, nothing to select (n = {info.fixed.n})",
            hovertemplate=f"r = 0: {spread(info.fixed.mean, info.fixed.std)}<extra></extra>",
        )
    plain(
        result,
        x="r, share of the plan that is carried out",
        y=f"{escape(info.measure.name)}, mean ± std",
    )
    return result.update_xaxes(range=[-0.04, 1.04], tickvals=[0, 0.25, 0.5, 0.75, 1])


def _band(result: go.Figure, line: list[tuple[float, Summary]], colour: str) -> None:
    stds = [s.std if isfinite(s.std) else 0.0 for _, s in line]
    upper = [(r, s.mean + std) for (r, s), std in zip(line, stds, strict=True)]
    lower = [(r, s.mean - std) for (r, s), std in zip(line, stds, strict=True)]
    around = upper + lower[::-1]
    result.add_scatter(
        x=[r for r, _ in around],
        y=[value for _, value in around],
        fill="toself",
        fillcolor=faded(colour, 0.18),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def _line(result: go.Figure, line: list[tuple[float, Summary]], rule: str, colour: str) -> None:
    n = counted(s for r, s in line if r)
    result.add_scatter(
        x=[r for r, _ in line],
        y=[s.mean for _, s in line],
        customdata=[[spread(s.mean, s.std), s.n] for _, s in line],
        mode="lines+markers",
        line={"color": colour, "width": 2.5},
        marker={"size": 8, "symbol": "circle" if rule == "uniform" else "square"},
        name=f"{rule} (n = {n})",
        hovertemplate=f"{rule}, r = %{{x}}: %{{customdata[0]}} (n = %{{customdata[1]}})"
        "<extra></extra>",
    )


def verdict(info: SelectionInfo) -> str:
    """Answer the question in words."""
    both = [at for at in info.at if at.gain is not None and isfinite(at.gain.difference)]
    if not both:
        return "No r has both selections on the same seed, so they cannot be compared."
    ahead = [at for at in both if at.gain and at.gain.difference > 0]
    text = f"Uniform is ahead of cosine at {len(ahead)} of {len(both)} values of r"
    sure = [at for at in both if at.p_holm < LEVEL]
    if not sure:
        return f"{text}; no difference is shown."
    parts = [
        f"significantly {word} at r = {', '.join(f'{at.r:g}' for at in group)}"
        for word, group in (
            ("better", [at for at in sure if at in ahead]),
            ("worse", [at for at in sure if at not in ahead]),
        )
        if group
    ]
    return f"{text}, {' and '.join(parts)}: randomness matters."


def table(info: SelectionInfo) -> Table:
    """Write the same numbers."""
    rows = []
    if info.fixed is not None:
        shared = summary_cells(info.fixed)
        rows.append([Cell("0", 0.0), *shared, *shared, Cell("–"), Cell("–")])
    for at in info.at:
        difference = at.gain.difference if at.gain else nan
        rows.append(
            [
                Cell(f"{at.r:g}", at.r),
                *summary_cells(at.by.get("uniform")),
                *summary_cells(at.by.get("cosine")),
                measured(signed(difference), difference, at.p_holm < LEVEL),
                measured(chance(at.p_holm), at.p_holm),
            ]
        )
    titles = ("r", "uniform", "n", "cosine", "n", "gain of uniform", "p-value (Holm)")
    return Table(
        "selection",
        [Column(title) for title in titles],
        rows,
        f"{info.measure.about}, mean ± std; gain over the seeds in common, paired t-test, "
        "corrected for all r; a strong gain is significant at 5 %",
    )


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    nothing = nothing_yet(record)
    if nothing is not None:
        return [nothing]
    found = info(record, asked(record, query))
    if {rule for at in found.at for rule in at.by} != set(RULES):
        return [*choices(record, found.measure), Text(NEEDS, "note")]
    page: list[Block] = [
        Text(verdict(found)),
        *choices(record, found.measure),
        Heading("Random and deterministic selection over r"),
        Figure(
            "selection",
            figure(found),
            f"{found.measure.about} over r with uniform and with cosine selection; bands are "
            "one standard deviation over seeds",
        ),
        table(found),
    ]
    if found.pooled:
        page.append(
            Text(
                "Some points are of several configurations, which differ in more than r: "
                "n counts trainings, and a seed's value is the mean over them.",
                "note",
            )
        )
    return page
