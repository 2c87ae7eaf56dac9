"""Benchmark: every method by every metric, beside the paper's tables."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.blocks import Block, Cell, Choice, Column, Figure, Heading, Row, Table, Text
from dashboards.parts import tex
from dashboards.parts.benchmark_gains import Gains
from dashboards.parts.benchmark_info import (
    PERCENT,
    UNRANKED,
    BenchmarkInfo,
    MethodRow,
    info,
)
from dashboards.parts.grouping import measured, nothing_yet
from dashboards.parts.measure import HELD_OUT, SPLITS, VAL
from dashboards.parts.naming import method_name, method_order, metric_name
from dashboards.parts.paper import NAMES
from dashboards.parts.query import picked
from dashboards.theme import BLUE, GREY, escape, plain
from mrtune.metrics import sign
from mrtune.study import StudyRecord
from mrtune.wording import chance, signed

__all__ = ["QUESTION", "TITLE", "BenchmarkInfo", "blocks", "figure", "info", "to_tex"]

TITLE = "Benchmark"
QUESTION = "The paper's tables"
NEEDS = (
    "This page compares methods by the metrics of the paper's tables; none of them was reported. "
    "`mrtune search celeba --space celeba_benchmark` makes such a study."
)
CHOSEN_HERE = " Configurations are chosen on this very split; no search looks at the other."


def heading(metric: str, info: BenchmarkInfo) -> str:
    """Name a metric with its unit and the way it gets better."""
    unit = _unit(metric, info)
    named = metric_name(metric).removesuffix(f" ({unit})")
    return f"{named}{f' ({unit})' if unit else ''} {_arrow(metric, info)}"


def _arrow(metric: str, info: BenchmarkInfo) -> str:
    return "↑" if sign(metric, info.directions) > 0 else "↓"


def _unit(metric: str, info: BenchmarkInfo) -> str:
    if metric in PERCENT:
        return "%"
    if metric == "depth_abs_error":
        return "" if info.units[metric] == 1 else f"×{info.units[metric]:g}"
    return {"depth_rel_error": "%"}.get(metric, "°" if metric.startswith("normals") else "")


def _panel_title(metric: str, info: BenchmarkInfo) -> str:
    """Name a metric in two short lines."""
    task = metric.partition("_")[0] if metric.startswith(("depth", "normals")) else ""
    below = ", ".join(part for part in (task, _unit(metric, info)) if part)
    return f"{escape(NAMES.get(metric, metric))}<br>{below} {_arrow(metric, info)}"


def figure(info: BenchmarkInfo) -> go.Figure:
    """Draw a panel for each metric: every method, with the paper's value below it."""
    columns = 1 if len(info.metrics) == 1 else 3 if len(info.metrics) % 3 == 0 else 2
    rows = -(-len(info.metrics) // columns)
    methods = [row.method for row in info.rows]
    panel = 30 * len(methods) + 24
    between = 86  # pixels: the ticks of one row of panels and the titles of the next
    inside = rows * panel + (rows - 1) * between
    result = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes=True,
        subplot_titles=[_panel_title(metric, info) for metric in info.metrics],
        horizontal_spacing=0.035,
        vertical_spacing=between / inside if rows > 1 else 0,
    )
    for place, metric in enumerate(info.metrics):
        at = {"row": place // columns + 1, "col": place % columns + 1}
        _dots(result, info, metric, at, ours=True)
        _dots(result, info, metric, at, ours=False)
    margin = {"t": 96, "b": 36}
    plain(result, height=inside + margin["t"] + margin["b"])
    result.update_xaxes(nticks=4, zeroline=False)
    result.update_yaxes(
        range=[len(methods) - 0.4, -0.6],
        tickvals=list(range(len(methods))),
        ticktext=[escape(method_name(method)) for method in methods],
        zeroline=False,
    )
    result.update_annotations(font_size=12)
    legend = {"y": 1, "yref": "container", "yanchor": "top"}
    return result.update_layout(margin=margin, legend=legend)


def _dots(
    result: go.Figure, info: BenchmarkInfo, metric: str, at: Mapping[str, int], ours: bool
) -> None:
    methods = [row.method for row in info.rows]
    shown = [
        row
        for row in (info.rows if ours else info.paper)
        # Methods that only the paper has would stretch the axes for nothing.
        if row.method in methods and metric in row.values and isfinite(row.values[metric].mean)
    ]
    if not shown:
        return
    name, colour = ("this study", BLUE) if ours else ("the paper", GREY)
    aside = 0.0 if not info.paper else -0.15 if ours else 0.2
    stds = [row.values[metric].std for row in shown]
    result.add_scatter(
        x=[row.values[metric].mean for row in shown],
        y=[methods.index(row.method) + aside for row in shown],
        error_x={
            "type": "data",
            "array": [std if isfinite(std) else None for std in stds],
            "thickness": 1.5,
            "width": 3,
            "color": colour,
        },
        customdata=[[escape(row.label), row.texts[metric], row.n] for row in shown],
        mode="markers",
        marker={
            "color": colour,
            "symbol": "circle" if ours else "diamond-open",
            "size": 9 if ours else 8,
            "line": {"color": colour, "width": 1.5},
        },
        name=name,
        legendgroup=name,
        showlegend=all(trace.name != name for trace in result.data),
        hovertemplate=f"%{{customdata[0]}}, {name}: %{{customdata[1]}} (n = %{{customdata[2]}})"
        "<extra></extra>",
        **at,
    )


def table(info: BenchmarkInfo) -> Table:
    """Write every method, and below each the paper's row."""
    rows = []
    methods = sorted({row.method for row in (*info.rows, *info.paper)}, key=method_order)
    for method in methods:
        for source, of_source in (("this study", info.rows), ("the paper", info.paper)):
            rows += [
                _cells(info, row, of_source, source) for row in of_source if row.method == method
            ]
    columns = [Column("method", numeric=False)]
    columns += [Column("from", numeric=False)] if info.paper else []
    columns += [Column("n"), Column("#P")]
    columns += [Column(heading(metric, info)) for metric in info.metrics]
    about = f"{info.title}, {SPLITS[info.split]}: mean ± std over n trainings; best marked"
    return Table("benchmark", [*columns, Column("rank ↓")], rows, about)


def _cells(
    info: BenchmarkInfo, row: MethodRow, rows: Sequence[MethodRow], source: str
) -> list[Cell]:
    cells = [Cell(row.label, method_order(row.method)[0])]
    cells += [Cell(source)] if info.paper else []
    return [*cells, Cell(str(row.n), row.n), Cell(row.size), *_scores(info, row, rows)]


def _scores(info: BenchmarkInfo, row: MethodRow, rows: Sequence[MethodRow]) -> list[Cell]:
    """Return a row's metrics and its rank; strong is what no other of the rows beats."""
    cells = []
    for metric in info.metrics:
        mean = row.values[metric].mean if metric in row.values else nan
        strong = row.method not in UNRANKED and mean == info.best(rows, metric)
        cells.append(measured(row.texts.get(metric, "–"), mean, strong))
    least = min((other.rank for other in rows if isfinite(other.rank)), default=nan)
    return [*cells, measured(row.rank_text, row.rank, row.rank == least)]


def gains_table(info: BenchmarkInfo, gains: Gains) -> Table:
    """Write what one method gains over each of the others."""
    titles = ("gain", "95 % interval", "seeds in common", "p-value (Holm)")
    digits = 2 if info.units[gains.metric] > 1 else 4
    rows = []
    for gain in gains.over:
        of = gain.paired
        low, high = signed(of.low, digits), signed(of.high, digits)
        rows.append(
            [
                Cell(info.label(gain.method), method_order(gain.method)[0]),
                measured(signed(of.difference, digits), of.difference, gain.significant),
                Cell(f"{low} to {high}" if isfinite(of.low) else "–"),
                Cell(str(of.n), of.n),
                measured(chance(gain.p_holm), gain.p_holm),
            ]
        )
    return Table(
        "gains",
        [Column("over", numeric=False), *(Column(title) for title in titles)],
        rows,
        f"{info.label(gains.method)} by {heading(gains.metric, info)}, {SPLITS[info.split]}: mean "
        "difference over the seeds in common, more is better, paired t-test, corrected for all "
        "methods; a strong gain is significant at 5 %",
    )


def to_tex(info: BenchmarkInfo) -> str:
    """Write methods × metrics for a document with booktabs; the best of each column underlined."""
    heads = ["", r"\#P", *(tex.centred(_tex_head(metric, info)) for metric in info.metrics)]
    groups = _tex_groups(info, info.rows, "")
    if info.paper:
        groups += _tex_groups(info, info.paper, " (paper)")
    return tex.tabular([*heads, tex.centred(r"Rank $(\downarrow)$")], groups)


def _tex_head(metric: str, info: BenchmarkInfo) -> str:
    name = NAMES.get(metric, metric)
    return tex.escape(f"{name} ({_arrow(metric, info)})")


def _tex_groups(
    info: BenchmarkInfo, rows: Sequence[MethodRow], suffix: str
) -> list[list[list[str]]]:
    """Return those that are ranked, and before them those that are not."""
    groups = [
        [row for row in rows if (row.method in UNRANKED) == unranked] for unranked in (True, False)
    ]
    return [[_tex_cells(info, row, rows, suffix) for row in group] for group in groups if group]


def _tex_cells(
    info: BenchmarkInfo, row: MethodRow, rows: Sequence[MethodRow], suffix: str
) -> list[str]:
    scores = [
        tex.underlined(tex.escape(cell.text)) if cell.strong else tex.escape(cell.text)
        for cell in _scores(info, row, rows)
    ]
    return [tex.escape(row.label + suffix), tex.escape(row.size), *scores]


def verdict(info: BenchmarkInfo) -> str:
    """Say which method ranks first."""
    tried = [f"{method_name(m)} {n}" for m, n in info.tried.items() if n > 1]
    how = (
        " Each method is shown with its best configuration by the held-out objective "
        f"(configurations tried: {', '.join(tried)})."
        if tried
        else ""
    )
    if len(info.rows) == 1:
        return f"{info.rows[0].label} is the only method with complete trials.{how}"
    ranked = [row for row in info.rows if isfinite(row.rank)]
    first = min(row.rank for row in ranked)
    names = " and ".join(row.label for row in ranked if row.rank == first)
    metrics = "1 metric" if len(info.metrics) == 1 else f"{len(info.metrics)} metrics"
    text = f"First of {len(ranked)} by average rank over {metrics}: {names}, {first:.2f}."
    return f"{text}{_beyond_chance(info)}{how}"


def _beyond_chance(info: BenchmarkInfo) -> str:
    """Say over which methods a gain is more than chance."""
    gains = info.gains
    if gains is None:
        return ""
    text = f" By {metric_name(gains.metric)}, {info.label(gains.method)} is"
    parts = [
        f"{word} {', '.join(names)}"
        for word, sign in (("ahead of", 1), ("behind", -1))
        if (
            names := [
                info.label(gain.method)
                for gain in gains.over
                if gain.significant and sign * gain.paired.difference > 0
            ]
        )
    ]
    return f"{text} {' and '.join(parts) or 'neither ahead of nor behind any'} beyond chance."


def about_units(info: BenchmarkInfo) -> str:
    """Say how our metrics and units compare with the paper's."""
    names = ", ".join(f"{NAMES[metric]} is {metric}" for metric in info.metrics if metric in NAMES)
    text = f"The paper's rows are as it prints them; of its metrics, {names}. Shares are in percent"
    if "depth_rel_error" in info.metrics:
        text += ", as is the relative error of depth"
    if "depth_abs_error" in info.metrics:
        times = f"{info.units['depth_abs_error']:g} × " if info.units["depth_abs_error"] > 1 else ""
        text += f"; the absolute one is {times}that in the unit of the data"
    if "normals_mean_angle" in info.metrics:
        text += "; angles are in degrees"
    return text + ". The paper reports on the validation split, and has chosen on it too."


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    nothing = nothing_yet(record)
    if nothing is not None:
        return [nothing]
    found = info(record, picked(query, "split", SPLITS, HELD_OUT))
    page: list[Block] = [Row([Choice("split", "measured on", SPLITS, found.split)])]
    if not found.metrics:
        return [*page, Text(NEEDS, "note")]
    page = [
        Text(verdict(found)),
        *page,
        Heading(f"Methods on {found.title}"),
        table(found),
        Figure(
            "benchmark",
            figure(found),
            "Each method by each metric, mean ± std over seeds"
            + (", and the paper's values" if found.paper else ""),
        ),
    ]
    page.append(
        Text(
            "#P is the number of trainable parameters relative to MTL. The rank is the average "
            "over the metrics; STL, one network for each task, takes none."
            + ("" if found.split == VAL else CHOSEN_HERE),
            "note",
        )
    )
    if found.paper:
        page.append(Text(about_units(found), "note"))
    if found.gains is not None:
        title = f"What {found.label(found.gains.method)} gains over each method"
        page += [Heading(title), gains_table(found, found.gains)]
    return page
