"""Seeds: would the winner win again?"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import plotly.graph_objects as go

from dashboards.blocks import Block, Cell, Column, Figure, Heading, Table, Text
from dashboards.parts.grouping import LEVEL, measured, nothing_yet
from dashboards.parts.naming import metric_name
from dashboards.theme import BLUE, GREY, ORANGE, escape, faded, plain
from mrtune.metrics import Paired, Summary, holm, paired, summarise
from mrtune.metrics.student import two_sided_quantile
from mrtune.study import Configuration, StudyRecord
from mrtune.wording import chance, settings, signed, spread

TITLE = "Seeds"
QUESTION = "Is the winner real?"
NEEDS = (
    "This page asks whether the best configuration would win again with other seeds, and needs "
    "configurations with two or more complete seeds. `mrtune search fashion --seeds 3` makes such "
    "a study."
)
MOST = 12
CONFIDENCE = 0.95
ROW = 44  # pixels


@dataclass(frozen=True)
class Contestant:
    """A configuration with several complete seeds."""

    number: int
    params: str
    values: Mapping[int, float]  # by seed
    summary: Summary
    margin: float  # half of the 95 % confidence interval of the mean
    behind: Paired | None  # the best minus this one, more is worse; None for the best
    p_holm: float  # corrected for all that are shown

    @property
    def beaten(self) -> bool:
        """Whether the best is better by more than chance."""
        return self.p_holm < LEVEL


@dataclass(frozen=True)
class SeedsInfo:
    """The best configurations, seed by seed."""

    metric: str
    shown: tuple[Contestant, ...]  # the best first
    several: int  # configurations with two seeds or more
    single: int  # with one


def info(record: StudyRecord) -> SeedsInfo:
    """Test the best configuration against those that come next."""
    gain = record.objective.sign
    values = {c.number: _values(c) for c in record.configurations}
    several = {number: seeds for number, seeds in values.items() if len(seeds) > 1}
    summaries = {n: summarise(list(seeds.values())) for n, seeds in several.items()}

    def standing(number: int) -> float:
        mean = summaries[number].mean
        return gain * mean if isfinite(mean) else -inf

    order = sorted(several, key=standing, reverse=True)[:MOST]
    pairs = [
        paired(_times(several[order[0]], gain), _times(several[number], gain))
        for number in order[1:]
    ]
    corrected = holm([pair.p for pair in pairs])
    by_number = {c.number: c for c in record.configurations}
    return SeedsInfo(
        metric=record.objective.metric,
        shown=tuple(
            Contestant(
                number=number,
                params=settings(by_number[number].trials[0].params),
                values=several[number],
                summary=summaries[number],
                margin=_margin(summaries[number]),
                behind=behind,
                p_holm=p,
            )
            for number, behind, p in zip(order, [None, *pairs], [nan, *corrected], strict=False)
        ),
        several=len(several),
        single=sum(len(seeds) == 1 for seeds in values.values()),
    )


def _values(configuration: Configuration) -> dict[int, float]:
    return {trial.seed: trial.values[0] for trial in configuration.complete if trial.values}


def _times(seeds: Mapping[int, float], gain: int) -> dict[int, float]:
    return {seed: gain * value for seed, value in seeds.items()}


def _margin(s: Summary) -> float:
    return two_sided_quantile(CONFIDENCE, s.n - 1) * s.std / sqrt(s.n)


def figure(info: SeedsInfo) -> go.Figure:
    """Draw a row for each configuration: its seeds, its mean and the interval of the mean."""
    result = go.Figure()
    groups = (
        ("the best", BLUE, [0]),
        (
            "not significantly worse",
            ORANGE,
            [n for n, c in enumerate(info.shown) if n and not c.beaten],
        ),
        ("significantly worse", GREY, [n for n, c in enumerate(info.shown) if c.beaten]),
    )
    for name, colour, places in groups:
        if places:
            _intervals(result, info, name, colour, places)
    _dots(result, info)
    for place, contestant in enumerate(info.shown):
        result.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=place,
            yshift=14,
            text=escape(_short(contestant.params)),
            showarrow=False,
            font={"size": 10},
            opacity=0.8,
        )
    rows = len(info.shown)
    plain(
        result,
        x=f"{escape(metric_name(info.metric))}, mean ± 95 % interval",
        y="trial",
        height=130 + ROW * max(rows, 2),
    )
    return result.update_yaxes(
        range=[rows - 0.45, -0.75],
        tickvals=list(range(rows)),
        ticktext=[str(contestant.number) for contestant in info.shown],
        zeroline=False,
    )


def _short(params: str, most: int = 60) -> str:
    return params if len(params) <= most else params[: most - 1].rstrip() + "…"


def _intervals(
    result: go.Figure, info: SeedsInfo, name: str, colour: str, places: list[int]
) -> None:
    shown = [info.shown[place] for place in places]
    result.add_scatter(
        x=[c.summary.mean if isfinite(c.summary.mean) else None for c in shown],
        y=places,
        error_x={
            "type": "data",
            "array": [c.margin if isfinite(c.margin) else None for c in shown],
            "color": colour,
            "thickness": 2.5,
            "width": 6,
        },
        customdata=[
            [escape(c.params), f"{c.summary.mean:.4f} ± {c.margin:.4f}", c.summary.n, c.number]
            for c in shown
        ],
        mode="markers",
        marker={"color": colour, "size": 11, "symbol": "diamond"},
        name=name,
        hovertemplate="trial %{customdata[3]}: %{customdata[1]} over %{customdata[2]} seeds"
        "<br>%{customdata[0]}<extra></extra>",
    )


def _dots(result: go.Figure, info: SeedsInfo) -> None:
    dots = [
        (value, place, seed)
        for place, contestant in enumerate(info.shown)
        for seed, value in contestant.values.items()
    ]
    result.add_scatter(
        x=[value for value, _, _ in dots],
        y=[place + 0.2 for _, place, _ in dots],
        customdata=[seed for _, _, seed in dots],
        mode="markers",
        marker={"size": 6, "color": faded(GREY, 0.6), "line": {"width": 1, "color": GREY}},
        name="one seed",
        hovertemplate="seed %{customdata}: %{x:.4f}<extra></extra>",
    )


def verdict(info: SeedsInfo) -> str:
    """Say in words whether the winner is real."""
    best, *others = info.shown
    if not isfinite(best.summary.mean):
        return "Every configuration has a training whose result is not a number."
    text = (
        f"Best of {info.several} with several seeds: trial {best.number}, "
        f"{metric_name(info.metric)} {spread(best.summary.mean, best.summary.std)} "
        f"(n = {best.summary.n}), {best.params}. "
    )
    if not others:
        return text + "No other configuration has several seeds, so there is nothing to beat."
    equal = [other for other in others if not other.beaten]
    if not equal:
        who = f"each of the next {len(others)}" if len(others) > 1 else "the only other"
        return text + f"The winner is real: {who} is significantly worse."
    start = (
        "The winner may be luck" if len(equal) == len(others) else "The winner is one of several"
    )
    first = equal[0]
    text += (
        f"{start}: not significantly worse are {len(equal)} of the next {len(others)}, first of "
        f"all trial {first.number}"
    )
    if first.behind is None or not isfinite(first.behind.p):
        return text + ", which has too few seeds in common with it to be tested."
    return text + (
        f" ({signed(-first.behind.difference)}, corrected p-value {chance(first.p_holm)})."
    )


def table(info: SeedsInfo) -> Table:
    """Write the same numbers."""
    rows = []
    for place, c in enumerate(info.shown):
        low, high = c.summary.mean - c.margin, c.summary.mean + c.margin
        behind = -c.behind.difference if c.behind else nan
        rows.append(
            [
                Cell(str(c.number), c.number),
                measured(spread(c.summary.mean, c.summary.std), c.summary.mean, place == 0),
                measured(f"{low:.4f} to {high:.4f}" if isfinite(low) else "–", c.margin),
                Cell(str(c.summary.n), c.summary.n),
                measured("" if place == 0 else signed(behind), behind),
                measured("" if place == 0 else chance(c.p_holm), c.p_holm),
                Cell(c.params),
            ]
        )
    titles = ("trial", metric_name(info.metric), "95 % interval of the mean", "seeds")
    columns = [Column(title) for title in (*titles, "against the best", "p-value (Holm)")]
    return Table(
        "seeds",
        [*columns, Column("parameters", numeric=False)],
        rows,
        f"{metric_name(info.metric)}, mean ± std over seeds; paired t-tests against the best over "
        "the seeds in common, corrected for all that are shown",
    )


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:  # noqa: ARG001
    """Lay the page out."""
    nothing = nothing_yet(record)
    if nothing is not None:
        return [nothing]
    found = info(record)
    if not found.shown:
        return [Text(NEEDS, "note")]
    shown = len(found.shown)
    page: list[Block] = [
        Text(verdict(found)),
        Heading(f"The best {shown} by their mean" if shown > 1 else "The only one"),
        Figure(
            "seeds",
            figure(found),
            f"{metric_name(found.metric)} of every seed of the best configurations, with the mean "
            "and its 95 % confidence interval",
        ),
        table(found),
    ]
    if found.single:
        page.append(
            Text(f"Configurations with one complete seed, not shown: {found.single}.", "note")
        )
    if len(found.shown) > 1:
        page.append(
            Text(
                "The best of many is partly lucky: its mean will tend to be lower with new seeds.",
                "note",
            )
        )
    return page
