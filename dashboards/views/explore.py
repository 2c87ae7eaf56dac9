"""Parameters: which of them matter, and where are the good values?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

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
from dashboards.parts.filters import Condition, askable, conditions, facts_of
from dashboards.parts.pairs import PairInfo, pair_figure, pair_info
from dashboards.parts.parallel import ParallelInfo, parallel_figure, parallel_info
from dashboards.parts.pareto import ParetoInfo, pareto_figure, pareto_info
from dashboards.parts.query import picked
from dashboards.parts.ranking import ranked, score
from dashboards.parts.slices import SlicesInfo, slices_figure, slices_info
from dashboards.parts.words import number_cell, state_cell, trial_cell
from dashboards.theme import BLUE, escape, plain
from mrtune.errors import UsageError
from mrtune.study import StudyRecord, TrialRecord
from mrtune.study.dimensions import Dimension, dimensions
from mrtune.study.importance import BEST_AT_LEAST, FEWEST, importances
from mrtune.wording import number

TITLE = "Parameters"
QUESTION = "What matters?"

LINES = ("25", "50", "100", "200")
MOST_LISTED = 100


@dataclass(frozen=True)
class ExploreInfo:
    """What was tried and what came of it."""

    metric: str
    dimensions: tuple[Dimension, ...]  # those that matter most first
    importances: Mapping[str, float]
    complete: int
    trials: tuple[TrialRecord, ...]  # finished, as asked for, the best first
    total: int  # finished
    parallel: ParallelInfo
    slices: SlicesInfo
    pair: PairInfo | None
    pareto: ParetoInfo | None


def info(
    record: StudyRecord,
    searched: Mapping[str, Dimension],
    where: Sequence[Condition] = (),
    lines: int = 100,
    x: str = "",
    y: str = "",
) -> ExploreInfo:
    """Collect finished trials that meet all conditions."""
    shares = importances(record, searched)
    order = sorted(searched.values(), key=lambda dimension: -shares.get(dimension.name, 0.0))
    finished = [t for t in record.trials if t.state in {"complete", "pruned"} and t.params]
    kept = finished
    if where:
        asked = [(trial, facts_of(record, trial)) for trial in finished]
        kept = [trial for trial, facts in asked if all(c.holds(facts) for c in where)]
    best = ranked(record, kept)
    pair = None
    if len(order) > 1:
        across = searched.get(x, order[0])
        up = searched.get(y) or next(d for d in order if d != across)
        pair = pair_info(record, best, across, up)
    return ExploreInfo(
        metric=record.objective.metric,
        dimensions=tuple(order),
        importances=shares,
        complete=record.counts["complete"],
        trials=tuple(best),
        total=len(finished),
        parallel=parallel_info(record, best[:lines], order),
        slices=slices_info(record, best, order),
        pair=pair,
        pareto=pareto_info(record, best) if len(record.objectives) > 1 else None,
    )


def figure(info: ExploreInfo) -> go.Figure:
    """Draw how much each parameter matters."""
    names = list(info.importances)[::-1]
    shares = [info.importances[name] for name in names]
    result = go.Figure()
    result.add_bar(
        x=shares,
        y=[escape(name) for name in names],
        orientation="h",
        marker={"color": BLUE},
        text=[f"{share:.0%}" for share in shares],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:.1%}<extra></extra>",
    )
    plain(result, x="share of what sets the best trials apart", height=110 + 30 * len(names))
    result.update_yaxes(type="category", showgrid=False)
    return result.update_xaxes(tickformat=".0%", rangemode="tozero")


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    text = query.get("where", "").strip()
    lines = int(picked(query, "k", LINES, "100"))
    searched = dimensions(record)
    page: list[Block] = []
    try:
        where = conditions(text, askable(record, searched))
    except UsageError as error:
        where, trouble = [], Text(f"Nothing is left out: {error}", "warning")
        page.append(trouble)
    found = info(record, searched, where, lines, query.get("x", ""), query.get("y", ""))
    if not found.total:
        return [*page, Text("No trial is finished yet.", "note")]
    page.append(
        Row(
            [
                Entry("where", "Only trials with", text, "p>0.5, method=mr"),
                Choice("k", "Lines", {count: f"best {count}" for count in LINES}, str(lines)),
            ]
        )
    )
    if not found.trials:
        return [*page, Text(f"None of {found.total} finished trials is like that.", "note")]
    if found.pareto is not None:
        page += _front(record, found.pareto)
    page += [*_parallel(found), *_importance(found), *_slices(found)]
    if found.pair is not None:
        page += _pair(found.pair, found.dimensions)
    return [*page, Heading("Trials"), _table(record, found)]


def _importance(info: ExploreInfo) -> list[Block]:
    heading = Heading("What sets the best trials apart")
    if not info.importances:
        return [
            heading,
            Text(
                f"Importance needs {FEWEST} complete trials; there are {info.complete}.",
                "note",
            ),
        ]
    pruned = info.total - info.complete
    text = (
        f"PED-ANOVA asks how the best of {info.complete} complete trials (a tenth, at least "
        f"{BEST_AT_LEAST}) differ from all of them, parameter by parameter."
    )
    if pruned > 0:
        text += (
            " Only complete trials count: regions that early stopping avoids are hardly among "
            "them, so a parameter whose bad values were all stopped early can look unimportant."
        )
    about = f"Share of each parameter in what sets the best trials by {info.metric} apart"
    return [heading, Text(text), Figure("importance", figure(info), about)]


def _parallel(info: ExploreInfo) -> list[Block]:
    count = len(info.parallel.lines)
    if not count:
        return []
    text = (
        f"The best {count} of {info.total:,} finished trials, complete ones first. A line "
        "is a trial; it is broken where the trial has no such parameter. Yellow is good."
    )
    about = "Parameters and objective of the best trials, as lines from axis to axis"
    picture = Figure("parallel", parallel_figure(info.parallel), about, wide=True)
    return [Heading("The best trials"), Text(text), picture]


def _slices(info: ExploreInfo) -> list[Block]:
    if not info.slices.slices or not info.slices.drawn:
        return []
    parts = info.slices
    said = []
    if any(trial.state == "pruned" for trial in info.trials):
        said.append("Values of pruned trials are of the epoch at which they were stopped.")
    if parts.drawn < parts.total:
        said.append(f"{parts.drawn} of {parts.total:,} trials are drawn, some of every rank.")
    about = f"{info.metric} of each trial against each parameter"
    picture = Figure("slices", slices_figure(parts), about, wide=True)
    words = [Text(" ".join(said))] if said else []
    return [Heading("One parameter at a time"), *words, picture]


def _pair(info: PairInfo, known: tuple[Dimension, ...]) -> list[Block]:
    options = {dimension.name: dimension.name for dimension in known}
    x, y = info.x.dimension.name, info.y.dimension.name
    controls = Row([Choice("x", "Across", options, x), Choice("y", "Up", options, y)])
    if not info.points and info.cells is None:
        return [
            Heading("Two parameters"),
            controls,
            Text(f"No complete trial has both {x} and {y}.", "note"),
        ]
    text = "Only what was tried is coloured: empty places are places where nothing is known."
    about = f"{info.metric} of complete trials by {x} and {y}"
    picture = Figure("pair", pair_figure(info), about)
    return [Heading("Two parameters"), controls, Text(text), picture]


def _front(record: StudyRecord, info: ParetoInfo) -> list[Block]:
    if not info.front:
        return [Text("No trial is complete yet: there is no front of two objectives.", "note")]
    one, two = (objective.metric for objective in info.objectives)
    columns = [Column("trial"), Column(one), Column(two), *_param_columns(info.front)]
    rows = [
        [
            trial_cell(record.name, trial),
            *(number_cell(value) for value in (trial.values or ())[:2]),
            *_param_cells(trial, info.front),
        ]
        for trial in info.front[:MOST_LISTED]
    ]
    about = f"{one} against {two} of complete trials, and the front"
    return [
        Heading("Two objectives"),
        Figure("pareto", pareto_figure(info), about),
        Table("front", columns, rows, "The front: no other trial is better in both"),
    ]


def _table(record: StudyRecord, info: ExploreInfo) -> Table:
    shown = info.trials[:MOST_LISTED]
    columns = [
        Column("trial"),
        Column("state", numeric=False),
        Column("epoch"),
        *(Column(objective.metric) for objective in record.objectives),
        *_param_columns(shown),
    ]
    best = record.best
    rows = [
        [
            trial_cell(record.name, trial),
            state_cell(trial),
            Cell(f"{trial.epoch:g}", sort=trial.epoch),
            *(
                number_cell(
                    score(record, trial, i), best is not None and trial.config == best.number
                )
                for i in range(len(record.objectives))
            ),
            *_param_cells(trial, shown),
        ]
        for trial in shown
    ]
    few = f"The best {len(shown)} of" if len(shown) < len(info.trials) else "All"
    asked = f", of {info.total:,} that are finished" if len(info.trials) < info.total else ""
    return Table("trials", columns, rows, f"{few} {len(info.trials):,} trials{asked}")


def _names(trials: tuple[TrialRecord, ...]) -> list[str]:
    return list(dict.fromkeys(name for trial in trials for name in trial.params))


def _param_columns(trials: tuple[TrialRecord, ...]) -> list[Column]:
    return [Column(name) for name in _names(trials)]


def _param_cells(trial: TrialRecord, trials: tuple[TrialRecord, ...]) -> list[Cell]:
    cells = []
    for name in _names(trials):
        value = trial.params.get(name)
        sort = value if isinstance(value, int | float | str) else None
        cells.append(Cell(number(value) if name in trial.params else "", sort=sort))
    return cells
