"""Δ × r: the paper's first figure, middle."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.blocks import Block, Cell, Choice, Column, Figure, Heading, Row, Table, Text
from dashboards.parts.anova import Anova, anova
from dashboards.parts.grouping import (
    LEVEL,
    Run,
    grouped,
    is_drawn,
    nothing_yet,
    pooled,
    rounded,
    rounded_log,
    runs,
    summary,
    summary_cells,
)
from dashboards.parts.measure import Measure, asked, choices, objective_of
from dashboards.theme import RED, SCALE, plain
from mrtune.metrics import Summary
from mrtune.study import StudyRecord
from mrtune.wording import chance, number, spread

TITLE = "Δ × r"
QUESTION = "Is the region flat, where is it good?"
NEEDS = (
    "This page lays trials of Maximum Roaming out by the interval between swaps (delta, or "
    "finish_at) and the share r of the plan that is carried out. "
    "`mrtune search celeba --space celeba_delta_r` makes such a study."
)
CLOCKS = {
    "delta": "Δ, epochs between two swaps",
    "finish_at": "finish_at, epoch of the last swap",
}
SHORT = {"delta": "Δ", "finish_at": "finish_at"}
STEP = 0.25  # to which values of r that were drawn from a range are rounded
Place = tuple[float, float]  # clock, r


@dataclass(frozen=True)
class DeltaRInfo:
    """The region of the interval and r."""

    measure: Measure
    clock: str
    clocks: tuple[str, ...]  # that trials of the study have
    cells: Mapping[Place, Summary]  # those with trials
    fixed: Summary | None  # r = 0, where there is no interval
    noise: Anova
    best: Place | None
    good: tuple[Place, ...]  # not to be told from the best by what is noise, at 95 %
    fixed_is_good: bool  # r = 0, by the same yardstick
    drawn: bool  # values are rounded
    pooled: bool  # a cell may be of several configurations


def info(record: StudyRecord, clock: str = "", measure: Measure | None = None) -> DeltaRInfo:
    """Summarise complete trials of Maximum Roaming by their interval and r."""
    measure = measure or objective_of(record)
    roaming = [run for run in runs(record, measure) if run.method == "mr"]
    counts = {name: sum(_clock(run, name) is not None for run in roaming) for name in CLOCKS}
    clocks = tuple(name for name, n in counts.items() if n)
    if clock not in clocks:
        clock = max(clocks, key=lambda name: counts[name], default="delta")
    drawn_clock = is_drawn(record, clock, [_clock(run, clock) or 0.0 for run in roaming])
    drawn_r = is_drawn(record, "r", [run.r or 0.0 for run in roaming])

    def place(run: Run) -> Place | None:
        at = _clock(run, clock)
        if at is None or run.r is None:
            return None
        r = max(STEP, rounded(run.r, STEP)) if drawn_r else rounded(run.r, None)
        return rounded_log(at) if drawn_clock else rounded(at, None), r

    groups = dict(sorted(grouped(roaming, place).items()))
    cells = {at: summary(group) for at, group in groups.items()}
    zero = [run for run in roaming if run.r == 0]
    gain = measure.sign
    known = [at for at, cell in cells.items() if isfinite(cell.mean)]
    noise = anova([[run.value for run in groups[at]] for at in known])
    best = max(known, key=lambda at: gain * cells[at].mean, default=None)
    return DeltaRInfo(
        measure=measure,
        clock=clock,
        clocks=clocks,
        cells=cells,
        fixed=summary(zero) if zero else None,
        noise=noise,
        best=best,
        good=tuple(
            at for at in known if best and (at == best or _close(cells[at], cells[best], noise))
        ),
        fixed_is_good=bool(zero and best and _close(summary(zero), cells[best], noise)),
        drawn=drawn_clock or drawn_r,
        pooled=pooled(groups.values()),
    )


def _clock(run: Run, name: str) -> float | None:
    """Return the interval of a run; without swaps there is none."""
    return (run.delta if name == "delta" else run.finish_at) if run.roams else None


def _close(one: Summary, other: Summary, noise: Anova) -> bool:
    return abs(one.mean - other.mean) <= noise.margin(one.n, other.n)


def figure(info: DeltaRInfo) -> go.Figure:
    """Draw the cells that have trials; r = 0 is a strip of its own."""
    xs = sorted({x for x, _ in info.cells})
    ys = sorted({y for _, y in info.cells})
    strip = info.fixed is not None
    rows = len(ys) + strip
    result = make_subplots(
        rows=1 + strip,
        cols=1,
        row_heights=[len(ys) / rows, 1 / rows] if strip else None,
        vertical_spacing=0.025,
        shared_xaxes=True,
    )
    _heat(result, info, xs, ys)
    if info.fixed is not None:
        _strip(result, info.fixed, len(xs))
    if info.best is not None:
        _frame(result, xs.index(info.best[0]), ys.index(info.best[1]))
    plain(result, height=150 + 64 * max(rows, 2))
    result.update_layout(
        coloraxis={
            "colorscale": SCALE,
            "reversescale": info.measure.sign < 0,
            "colorbar": {"thickness": 12, "outlinewidth": 0, "nticks": 5},
        },
        margin={"t": 24},
    )
    ticks = {"tickvals": list(range(len(xs))), "ticktext": [f"{x:g}" for x in xs]}
    result.update_xaxes(showgrid=False, zeroline=False, range=[-0.5, len(xs) - 0.5], **ticks)
    result.update_yaxes(type="category", showgrid=False, zeroline=False)
    result.update_xaxes(title_text=CLOCKS[info.clock], row=1 + strip, col=1)
    result.update_yaxes(title_text="r, share of the plan", row=1, col=1)
    return result


LOOKS = {
    "texttemplate": "%{text}",
    "coloraxis": "coloraxis",
    "ygap": 2,
    "hoverongaps": False,
    "hovertemplate": "%{customdata}<extra></extra>",
}


def _heat(result: go.Figure, info: DeltaRInfo, xs: list[float], ys: list[float]) -> None:
    found = [[info.cells.get((x, y)) for x in xs] for y in ys]
    result.add_heatmap(
        x=list(range(len(xs))),
        y=[f"{y:g}" for y in ys],
        z=[[None if cell is None else cell.mean for cell in line] for line in found],
        text=[["" if cell is None else _label(cell) for cell in line] for line in found],
        customdata=[
            [
                "" if cell is None else f"{_at(info, (x, y))}: {_words(cell)}"
                for x, cell in zip(xs, line, strict=True)
            ]
            for y, line in zip(ys, found, strict=True)
        ],
        xgap=2,
        row=1,
        col=1,
        **LOOKS,
    )


def _strip(result: go.Figure, fixed: Summary, columns: int) -> None:
    """Draw r = 0 as one cell as wide as the others together: it has no interval."""
    result.add_heatmap(
        x0=(columns - 1) / 2,
        dx=columns,
        y=["0"],
        z=[[fixed.mean if isfinite(fixed.mean) else None]],
        text=[[_label(fixed)]],
        customdata=[[f"r 0: {_words(fixed)}"]],
        row=2,
        col=1,
        **LOOKS,
    )


def _label(cell: Summary) -> str:
    return f"{spread(cell.mean, nan)}<br>n = {cell.n}"


def _words(cell: Summary) -> str:
    return f"{spread(cell.mean, cell.std)} (n = {cell.n})"


def _frame(result: go.Figure, column: int, row: int) -> None:
    result.add_shape(
        type="rect",
        x0=column - 0.49,
        x1=column + 0.49,
        y0=row - 0.48,
        y1=row + 0.48,
        line={"color": RED, "width": 3},
        row=1,
        col=1,
    )


def verdict(info: DeltaRInfo) -> str:
    """Say whether the region is flat, and where it is good."""
    assert info.best is not None  # callers have looked
    best = info.cells[info.best]
    text = (
        f"Best{' with roaming' * (info.fixed is not None)}: {_at(info, info.best)}, "
        f"{info.measure.name} {spread(best.mean, best.std)} (n = {best.n})"
    )
    noise = info.noise
    if len(info.cells) < 2:
        return f"{text}; it is the only cell with trials.{_about_fixed(info)}"
    if not isfinite(noise.p):
        return (
            f"{text}. Whether the region is flat cannot be said: no cell has a second seed to tell "
            f"what is noise.{_about_fixed(info)}"
        )
    flat = noise.p >= LEVEL
    text += (
        f". The region {'looks' if flat else 'is not'} flat: the means of its {noise.groups} cells "
        f"vary with a std of {number(noise.between)}, and noise alone (std {number(noise.within)} "
        f"within cells) would make that {number(noise.expected)} (one-way ANOVA, "
        f"p-value {chance(noise.p)}). "
    )
    if flat:
        seen = noise.margin(best.n, best.n)
        return text + (
            f"No difference is shown; two cells of {best.n} trainings would have to differ by "
            f"{seen:.2g} to be told apart.{_about_fixed(info)}"
        )
    others = [at for at in info.good if at != info.best]
    if not others:
        return f"{text}No other cell is within the noise of the best.{_about_fixed(info)}"
    places = "; ".join(_at(info, at) for at in others)
    return f"{text}Within the noise of the best: {places}.{_about_fixed(info)}"


def _about_fixed(info: DeltaRInfo) -> str:
    """Say where r = 0, without roaming, stands."""
    if info.fixed is None or info.best is None:
        return ""
    best, fixed = info.cells[info.best], info.fixed
    side = "better" if info.measure.sign * (fixed.mean - best.mean) > 0 else "worse"
    how = side if not isfinite(info.noise.within) else f"{side} by more than the noise"
    if info.fixed_is_good:
        how = "within the noise of that"
    return f" r = 0, without roaming, has {spread(fixed.mean, fixed.std)}, {how}."


def _at(info: DeltaRInfo, place: Place) -> str:
    return f"{SHORT[info.clock]} {place[0]:g}, r {place[1]:g}"


def table(info: DeltaRInfo) -> Table:
    """Write the same numbers."""
    rows = [
        [
            Cell(f"{clock:g}", clock),
            Cell(f"{r:g}", r),
            *summary_cells(cell, strong=(clock, r) == info.best),
            _yes(info, (clock, r) in info.good),
        ]
        for (clock, r), cell in info.cells.items()
    ]
    if info.fixed is not None:
        rows.append(
            [Cell("–"), Cell("0", 0.0), *summary_cells(info.fixed), _yes(info, info.fixed_is_good)]
        )
    titles = (SHORT[info.clock], "r", info.measure.name, "n", "within the noise of the best")
    about = f"{info.measure.about}, mean ± std over n trainings, for each cell with trials"
    return Table("delta_r", [Column(title) for title in titles], rows, about)


def _yes(info: DeltaRInfo, good: bool) -> Cell:
    known = isfinite(info.noise.within)
    return Cell(("yes" if good else "no") if known else "–")


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    nothing = nothing_yet(record)
    if nothing is not None:
        return [nothing]
    found = info(record, query.get("clock", ""), asked(record, query))
    if found.best is None:
        return [*choices(record, found.measure), Text(NEEDS, "note")]
    page: list[Block] = [Text(verdict(found)), *choices(record, found.measure)]
    if len(found.clocks) > 1:
        page.append(Row([Choice("clock", "interval given as", SHORT, found.clock)]))
    page += [
        Heading(f"{SHORT[found.clock]} and r"),
        Figure(
            "delta_r",
            figure(found),
            f"{found.measure.about} for each {SHORT[found.clock]} and r, the best of them framed. "
            "A cell without a complete trial is left blank.",
        ),
        table(found),
    ]
    if found.fixed is not None:
        page.append(Text("At r = 0 nothing is swapped, so that row has no interval.", "note"))
    if found.drawn:
        page.append(
            Text(
                "Values were drawn from a range and are put together: intervals to 1, 2 or 5 times "
                f"a power of ten, r to the nearest {STEP:g}.",
                "note",
            )
        )
    if found.pooled:
        page.append(
            Text(
                "Some cells hold several configurations: their noise is that of seeds and of "
                "whatever else was searched.",
                "note",
            )
        )
    return page
