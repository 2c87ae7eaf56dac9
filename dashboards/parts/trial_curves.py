"""All curves of a trial: a small picture for each metric, those of tasks together."""

from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboards.theme import BLUE, CYCLE, GREY, RED, escape, plain
from mrtune.study import Rung, StudyRecord, TrialRecord

MOST_PANELS = 12
COLUMNS = 3


@dataclass(frozen=True)
class Panel:
    """Curves that share an axis."""

    title: str
    lines: dict[str, list[float | None]]
    reference: tuple[list[float | None], list[float | None]] | None  # epochs, values


@dataclass(frozen=True)
class TrialCurvesInfo:
    """The curves of a trial, beside those of the best one."""

    epochs: list[float | None]
    panels: tuple[Panel, ...]
    rungs: tuple[Rung, ...]
    best: int | None  # the trial of the reference; None if it is this one


def trial_curves_info(
    record: StudyRecord, trial: TrialRecord, best: TrialRecord | None
) -> TrialCurvesInfo:
    """Group the curves of a trial: `loss/hat` and `loss/hair` are one picture."""
    if best is not None and best.number == trial.number:
        best = None
    groups: dict[str, dict[str, list[float | None]]] = {}
    objectives = [objective.metric for objective in record.objectives]
    names = sorted(trial.curves, key=lambda name: (name not in objectives, "/" in name))
    for name in names:
        stem, slash, rest = name.partition("/")
        if name != "epoch":
            groups.setdefault(f"{stem}/…" if slash else name, {})[rest or name] = list(
                trial.curves[name]
            )
    panels = []
    for stem, lines in list(groups.items())[:MOST_PANELS]:
        title = stem.replace("…", next(iter(lines))) if len(lines) == 1 else stem
        reference = None
        if best is not None and title in best.curves:
            reference = (list(best.curves["epoch"]), list(best.curves[title]))
        panels.append(Panel(title, lines, reference))
    return TrialCurvesInfo(
        list(trial.curves.get("epoch", ())),
        tuple(panels),
        trial.rungs,
        None if best is None else best.number,
    )


def trial_curves_figure(info: TrialCurvesInfo) -> go.Figure:
    """Draw the panels; what each rung needed is in the first, which is the objective's."""
    columns = min(COLUMNS, len(info.panels))
    rows = -(-len(info.panels) // columns)
    result = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[escape(panel.title) for panel in info.panels],
        horizontal_spacing=0.07,
        vertical_spacing=0.25 / rows,
    )
    plain(result, height=90 + 240 * rows)
    for place, panel in enumerate(info.panels):
        at = {"row": place // columns + 1, "col": place % columns + 1}
        _draw_panel(result, info, panel, place == 0, at)
    result.update_annotations(font={"size": 13})
    last = range(max(0, len(info.panels) - columns), len(info.panels))
    for place in last:
        result.update_xaxes(title="epoch", row=place // columns + 1, col=place % columns + 1)
    return result.update_layout(
        margin={"t": 64}, legend={"y": 1 + 34 / (90 + 240 * rows), "itemwidth": 30}
    )


def _draw_panel(
    result: go.Figure, info: TrialCurvesInfo, panel: Panel, first: bool, at: dict[str, int]
) -> None:
    if panel.reference is not None:
        result.add_scatter(
            x=panel.reference[0],
            y=panel.reference[1],
            mode="lines",
            line={"color": GREY, "width": 1.5, "dash": "dot"},
            name=f"best, trial {info.best}",
            showlegend=first,
            hovertemplate="best: %{y:.4g} at epoch %{x}<extra></extra>",
            **at,
        )
    single = len(panel.lines) == 1
    for place, (name, values) in enumerate(panel.lines.items()):
        result.add_scatter(
            x=info.epochs,
            y=values,
            text=[escape(name)] * len(values),
            mode="lines" if len(values) > 1 else "markers",
            line={"color": BLUE if single else CYCLE[place % len(CYCLE)], "width": 2},
            name="this trial",
            showlegend=first,
            hovertemplate="%{text}: %{y:.4g} at epoch %{x}<extra></extra>",
            **at,
        )
    needed = [rung for rung in info.rungs if rung.threshold is not None] if first else []
    if needed:
        result.add_scatter(
            x=[rung.epoch for rung in needed],
            y=[rung.threshold for rung in needed],
            mode="markers",
            marker={"symbol": "line-ew", "size": 16, "line": {"width": 3, "color": RED}},
            name="needed at a rung",
            hovertemplate="%{y:.4f} was needed at epoch %{x}<extra></extra>",
            **at,
        )
