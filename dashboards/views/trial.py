"""One trial: its parameters, curves and roaming, and what went wrong if something did."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from dashboards.blocks import (
    Action,
    Block,
    Cell,
    Choice,
    Code,
    Column,
    Entry,
    Facts,
    Figure,
    Heading,
    Row,
    Table,
    Text,
    cells,
)
from dashboards.parts.links import trial_link
from dashboards.parts.query import whole_number
from dashboards.parts.ranking import ranked, score
from dashboards.parts.replay import ALL, RoamingInfo, origin_of, roaming_info
from dashboards.parts.trial_curves import TrialCurvesInfo, trial_curves_figure, trial_curves_info
from dashboards.parts.words import moment_text, state_text
from dashboards.roam import MOST_PANELS, panels
from dashboards.theme import BLUE, CYCLE, escape, plain
from mrtune.errors import MrtuneError
from mrtune.study import StudyRecord, TrialRecord
from mrtune.wording import duration, number

TITLE = "Trial"
QUESTION = "What happened here?"

LOG = "log.txt"
LOG_LINES = 40
LOG_BYTES = 65_536  # of the end of a log: the last lines are in it
CHECKPOINTS = "checkpoints"


@dataclass(frozen=True)
class TrialInfo:
    """Everything that a study knows of a trial."""

    trial: TrialRecord
    value: float | None
    best: TrialRecord | None
    default: TrialRecord | None
    seeds: tuple[TrialRecord, ...]  # of the same configuration, this one left out
    params: tuple[tuple[str, Any, Any, Any], ...]  # name; here, in the best, in the default
    curves: TrialCurvesInfo
    command: str


def info(record: StudyRecord, number: int | None = None) -> TrialInfo | None:
    """Look a trial up: by its number, else the best; None if there is none."""
    trials = {trial.number: trial for trial in record.trials}
    best = _best(record)
    fallback = best or next(iter(ranked(record)), None)
    trial = fallback if number is None else trials.get(number, fallback)
    if trial is None:
        return None
    default = record.default.trials[0] if record.default else None
    here, there, usual = (found.params if found else {} for found in (trial, best, default))
    names = dict.fromkeys((*here, *there, *usual))
    return TrialInfo(
        trial=trial,
        value=score(record, trial),
        best=best,
        default=default,
        seeds=tuple(
            other
            for other in record.trials
            if other.config == trial.config and other.number != trial.number
        ),
        params=tuple((n, here.get(n), there.get(n), usual.get(n)) for n in names),
        curves=trial_curves_info(record, trial, best),
        command=command(record, trial),
    )


def figure(info: TrialInfo) -> go.Figure:
    """Draw all curves."""
    return trial_curves_figure(info.curves)


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    wanted = whole_number(query, "trial")
    found = info(record, wanted)
    if found is None:
        return [Text("This study has no trial yet.", "note")]
    trial = found.trial
    controls: list[Choice | Entry | Action] = [
        Entry("trial", "Trial", str(trial.number), f"0 to {len(record.trials) - 1}")
    ]
    if trial.state == "running":
        controls.append(Action("stop-trial", "Stop this trial", danger=True, trial=trial.number))
    page: list[Block] = [Row(controls)]
    if wanted is not None and wanted != trial.number:
        page.append(Text(f"There is no trial {wanted}; this is trial {trial.number}.", "warning"))
    page.append(Facts(_facts(record, found)))
    page += [*_verdict(found), *_failure(trial), *_params(record, found)]
    if found.curves.panels:
        about = "Every metric that the trial has reported, over the epochs"
        page += [Heading("Curves"), Figure("curves", figure(found), about, wide=True)]
    page += [*_roaming(trial, query), Heading("Train it again"), Code(found.command)]
    return [*page, *_provenance(trial), *_files(trial)]


def command(record: StudyRecord, trial: TrialRecord) -> str:
    """Return the command that trains the same again."""
    settings = [
        f"{name}={_written(value)}" for name, value in (trial.setting or trial.params).items()
    ]
    parts = ["mrtune", "train", record.workload]
    parts += [part for setting in settings for part in ("-S", setting)]
    return shlex.join([*parts, "--seed", str(trial.seed)])


def tail(path: Path) -> list[str] | None:
    """Return the last lines of a file; None where it cannot be read."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, 2)
            file.seek(max(0, end - LOG_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return None
    return text.splitlines()[-LOG_LINES:]


def _best(record: StudyRecord) -> TrialRecord | None:
    """Return the best trial of the best configuration."""
    best = record.best
    return None if best is None else ranked(record, best.complete)[0]


def _written(value: Any) -> str:
    """Write a value as `-S` reads it: JSON, or text that is not mistaken for it."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    try:
        json.loads(value)
    except json.JSONDecodeError:
        return value
    return json.dumps(value)


def _facts(record: StudyRecord, info: TrialInfo) -> dict[str, str]:
    trial = info.trial
    budget = record.space.get("budget", {}).get("epochs")
    facts = {
        "trial": f"{trial.number}" + (" (default)" if trial.default else ""),
        "state": state_text(trial.state),
        record.objective.metric: number(info.value),
        "epoch": f"{trial.epoch:g}" + (f" of {budget:g}" if budget else ""),
        "seed": str(trial.seed),
        "work": duration(trial.seconds) if trial.seconds else "–",
    }
    if trial.place:
        place = [str(trial.place[key]) for key in ("host", "device") if key in trial.place]
        facts["on"] = ", ".join(place)
    if "parameters" in trial.network:
        facts["weights"] = f"{trial.network['parameters']:,}"
    if trial.retries:
        facts["workers lost"] = str(trial.retries)
    if trial.started:
        facts["began"] = moment_text(trial.started)
    return facts


def _verdict(info: TrialInfo) -> list[Block]:
    """Say in a sentence why the trial is where it is."""
    rungs = info.trial.rungs
    if info.trial.state != "pruned":
        return []
    if not rungs or rungs[-1].kept:
        return [Text(f"It was stopped at epoch {info.trial.epoch:g}, not by a rung.")]
    last = rungs[-1]
    needed = "" if last.threshold is None else f"; {number(last.threshold)} was needed"
    return [
        Text(
            f"It was stopped at rung {last.rung}, epoch {last.epoch:g}, "
            f"with {number(last.value)}{needed}."
        )
    ]


def _failure(trial: TrialRecord) -> list[Block]:
    if not trial.failure:
        return []
    reason, trace = trial.failure.get("reason", "unknown"), trial.failure.get("traceback", "")
    page: list[Block] = [Heading("Why it failed"), Text(reason, "warning")]
    return [*page, Code(trace, "Traceback")] if trace else page


def _params(record: StudyRecord, info: TrialInfo) -> list[Block]:
    trial, page = info.trial, list[Block]()
    if info.params:
        others = [("best", info.best), ("default", info.default)]
        shown = [
            (place, name, other)
            for place, (name, other) in enumerate(others, 2)
            if other is not None and other.number != trial.number
        ]
        columns = [Column("parameter", numeric=False), Column(f"trial {trial.number}")]
        columns += [Column(f"{name}, trial {other.number}") for _, name, other in shown]
        rows = []
        for row in info.params:
            here = Cell(number(row[1]), strong=any(row[place] != row[1] for place, _, _ in shown))
            rows.append([Cell(row[0]), here, *(Cell(number(row[place])) for place, _, _ in shown)])
        about = "Parameters; marked where they differ from the best or the default"
        page += [Heading("Parameters"), Table("parameters", columns, rows, about)]
    if info.seeds:
        rows = [
            [
                Cell(
                    str(other.number), sort=other.number, link=trial_link(record.name, other.number)
                ),
                Cell(str(other.seed), sort=other.seed),
                Cell(state_text(other.state)),
                Cell(number(score(record, other))),
            ]
            for other in info.seeds
        ]
        columns = [
            Column("trial"),
            Column("seed"),
            Column("state", numeric=False),
            Column(record.objective.metric),
        ]
        page.append(Table("seeds", columns, rows, "The same configuration with other seeds"))
    return page


def _roaming(trial: TrialRecord, query: Mapping[str, str]) -> list[Block]:
    heading = Heading("Its roaming")
    origin = origin_of(trial)
    if origin is None:
        if not trial.network:
            return []
        return [heading, Text("Its method does not partition the network.", "note")]
    if origin.get("selection") == "cosine":
        return [heading, *_completion(trial)]
    try:
        found = roaming_info(trial, origin, query)
    except (MrtuneError, TypeError, KeyError) as error:
        return [heading, Text(f"It cannot be replayed: {error}", "warning")]
    layers = {name: f"{name} ({units} units)" for name, units in found.layers.items()}
    tasks = {ALL: "all", **{str(task): name for task, name in enumerate(found.names)}}
    controls = Row(
        [
            Choice("layer", "Layer", layers, found.layer),
            Choice("task", "Task", tasks, found.task),
        ]
    )
    if len(found.moments) == 1:
        return [heading, controls, Text(_roaming_words(found))]
    about = f"Units of {found.layer} that tasks hold over the epochs, and shares beside Eq. 4"
    picture = Figure("roaming", panels(found.moments, found.tasks, "epoch"), about, wide=True)
    return [heading, controls, Text(_roaming_words(found)), picture]


def _roaming_words(info: RoamingInfo) -> str:
    steps = info.moments[-1].state.step
    units = info.layers[info.layer]
    if not steps:
        return f"No unit of {info.layer} has been swapped: the partition is the one it began with."
    last = info.moments[-1]
    text = (
        f"After {steps} swap{'s' * (steps > 1)} a task has visited {last.visited:.1%} of the "
        f"{units} units of "
        f"{info.layer}; Eq. 4 predicts {last.expected:.1%}. Replayed from the seed, exactly."
    )
    hidden = len(info.names) - len(info.tasks)
    if info.task == ALL and hidden:
        text += f" The first {MOST_PANELS} of {len(info.names)} tasks are shown."
    return text


def _completion(trial: TrialRecord) -> Iterator[Block]:
    """Show what a roaming that cannot be replayed has reported of itself."""
    yield Text(
        "Its units were chosen by the cosine of their weights, so its partitions depend on what "
        "the network learnt and cannot be replayed. Below is what it reported.",
        "note",
    )
    curves = [name for name in trial.curves if name.startswith("roaming/")]
    if curves:
        picture = go.Figure()
        for name, colour in zip(curves, CYCLE, strict=False):
            picture.add_scatter(
                x=trial.curves["epoch"],
                y=trial.curves[name],
                mode="lines+markers",
                line={"color": BLUE if len(curves) == 1 else colour},
                name=escape(name),
            )
        picture = plain(picture, x="epoch", y="as reported", height=320)
        yield Figure("roaming", picture, "What the trial reported of its roaming")


def _provenance(trial: TrialRecord) -> list[Block]:
    facts = dict(_flat(trial.provenance))
    if not facts:
        return []
    columns = [Column("what", numeric=False), Column("which", numeric=False)]
    rows = [cells(name, number(value)) for name, value in facts.items()]
    return [Heading("Where it comes from"), Table("provenance", columns, rows, "Code and data")]


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _files(trial: TrialRecord) -> list[Block]:
    if trial.slot is None:
        return []
    if "://" in trial.slot:
        return [Heading("Log and checkpoints"), Text(f"They are in {trial.slot}.", "note")]
    folder, host = Path(trial.slot), trial.place.get("host", "the machine that ran it")
    heading = Heading("Log and checkpoints")
    lines = tail(folder / LOG)
    if lines is None:
        return [heading, Text(f"Its log is not here: look for {folder / LOG} on {host}.", "note")]
    about = f"The last lines of {folder / LOG}"
    log = Code("\n".join(lines), about) if lines else Text("Its log is empty.", "note")
    if (folder / CHECKPOINTS).is_dir():
        return [heading, log, Text(f"Checkpoints are in {folder / CHECKPOINTS}.")]
    if trial.finished:
        return [heading, log, Text("Its checkpoints are gone: only the best trial keeps its own.")]
    return [heading, log]
