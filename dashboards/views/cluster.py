"""Machines: what runs where, what waits, and is everybody still there?"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go

from dashboards.blocks import Block, Cell, Column, Facts, Figure, Heading, Table, Text
from dashboards.parts.words import number_cell, trial_cell
from dashboards.theme import BLUE, GREY, escape, faded, plain
from mrtune.study import Driver, StudyRecord, TrialRecord
from mrtune.study.drivers import LOST_AFTER
from mrtune.study.machines import machines_of, unplaced
from mrtune.wording import duration, number

TITLE = "Machines"
QUESTION = "What is running where?"

PACE = "images_per_s"
MOST_DRAWN = 40  # nodes
MOST_LISTED = 200  # trials


@dataclass(frozen=True)
class Node:
    """A machine of the cluster."""

    host: str
    alive: bool
    cpus: float | None  # None where no driver tells
    gpus: float | None
    trials: tuple[int, ...]
    cpus_used: float
    gpus_used: float
    pace: float  # images a second, of its trials together


@dataclass(frozen=True)
class ClusterInfo:
    """Where a study is searched."""

    nodes: tuple[Node, ...]
    drivers: tuple[Driver, ...]
    owned: Mapping[str, int]  # trials that each driver has handed out
    running: tuple[TrialRecord, ...]  # on some machine
    unplaced: tuple[TrialRecord, ...]  # handed out, for want of a machine not begun
    waiting: tuple[TrialRecord, ...]  # put back, or asked for by hand
    to_come: int | None  # configurations that are still to be proposed
    pace: float
    now: float  # seconds since the epoch


def info(record: StudyRecord, now: float | None = None) -> ClusterInfo:
    """Collect machines, the processes that search, and what they run."""
    marked = tuple(trial for trial in record.trials if trial.state == "running")
    without = unplaced(record)
    numbers = {trial.number for trial in without}
    nodes = _nodes(record)
    target = record.target
    return ClusterInfo(
        nodes=nodes,
        drivers=tuple(sorted(record.drivers, key=lambda d: (not d.alive, d.host, d.pid))),
        owned=Counter(trial.owner for trial in marked if trial.owner is not None),
        running=tuple(trial for trial in marked if trial.number not in numbers),
        unplaced=without,
        waiting=tuple(trial for trial in record.trials if trial.state == "waiting"),
        to_come=None if target is None else max(0, target - len(record.configurations)),
        pace=sum(node.pace for node in nodes),
        now=time.time() if now is None else now,
    )


def figure(info: ClusterInfo) -> go.Figure:
    """Draw how much of each machine is in use."""
    nodes = info.nodes[:MOST_DRAWN][::-1]
    hosts = [escape(node.host) + ("" if node.alive else " (gone)") for node in nodes]
    result = go.Figure()
    result.add_bar(
        x=[node.cpus_used for node in nodes],
        y=hosts,
        orientation="h",
        name="in use by trials",
        marker={"color": BLUE},
        customdata=[len(node.trials) for node in nodes],
        hovertemplate="%{y}: %{x} CPUs, %{customdata} trials<extra></extra>",
    )
    result.add_bar(
        x=[max(0.0, (node.cpus or 0.0) - node.cpus_used) for node in nodes],
        y=hosts,
        orientation="h",
        name="free",
        marker={"color": faded(GREY, 0.3)},
        hovertemplate="%{y}: %{x} CPUs free<extra></extra>",
    )
    plain(result, x="CPUs", height=130 + 34 * len(nodes))
    result.update_layout(barmode="stack", legend={"traceorder": "normal"})
    result.update_xaxes(rangemode="tozero")
    return result.update_yaxes(type="category", showgrid=False)


def blocks(record: StudyRecord, query: Mapping[str, str]) -> list[Block]:  # noqa: ARG001
    """Lay the page out."""
    found = info(record)
    facts = {
        "▶ running": str(len(found.running)),
        "waiting for a machine": str(len(found.unplaced)),
        "◌ waiting": str(len(found.waiting)),
    }
    if found.to_come is not None:
        facts["to be proposed"] = str(found.to_come)
    facts["machines"] = str(sum(node.alive for node in found.nodes))
    if found.pace:
        facts["images/s"] = f"{found.pace:,.0f}"
    page: list[Block] = [Facts(facts), *_warnings(found)]
    if found.nodes:
        page.append(Heading("Machines"))
        if any(node.cpus for node in found.nodes):
            about = "CPUs of each machine in use by running trials, and free"
            page.append(Figure("machines", figure(found), about))
        page.append(_nodes_table(found))
    if found.drivers:
        page += [Heading("Processes that search"), _drivers_table(found)]
    if found.running:
        page += [Heading("Running trials"), _trials_table(record, found)]
    if found.unplaced or found.waiting:
        page += [Heading("Queue"), _queue_table(record, found)]
    return page


def _nodes(record: StudyRecord) -> tuple[Node, ...]:
    """Add up what the running trials of each machine have asked for and do."""
    resources = record.space.get("resources", {})
    cpus, gpus = float(resources.get("cpus", 1.0)), float(resources.get("gpus", 0.0))
    return tuple(
        Node(
            host=machine.host,
            alive=machine.alive,
            cpus=machine.cpus,
            gpus=machine.gpus,
            trials=tuple(trial.number for trial in machine.trials),
            cpus_used=cpus * len(machine.trials),
            gpus_used=gpus * len(machine.trials),
            pace=sum(trial.latest(PACE) or 0.0 for trial in machine.trials),
        )
        for machine in machines_of(record)
    )


def _warnings(info: ClusterInfo) -> list[Block]:
    page: list[Block] = []
    alive = [driver for driver in info.drivers if driver.alive]
    if not alive:
        left = f" Trials that are still marked as running: {len(info.running)}."
        said = "No process searches this study now." + (left if info.running else "")
        page.append(Text(said, "note"))
    silent = [driver for driver in alive if info.now - driver.seen > LOST_AFTER]
    page += [
        Text(
            f"Process {driver.pid} on {driver.host} has given no sign of life for "
            f"{duration(info.now - driver.seen)}.",
            "warning",
        )
        for driver in silent
    ]
    gone = [node.host for node in info.nodes if not node.alive]
    if gone:
        page.append(Text(f"Gone from the cluster: {', '.join(gone)}.", "warning"))
    return page


def _nodes_table(info: ClusterInfo) -> Table:
    columns = [
        Column("machine", numeric=False),
        Column("state", numeric=False),
        Column("CPUs in use"),
        Column("GPUs in use"),
        Column("trials"),
        Column("images/s"),
    ]
    rows = [
        [
            Cell(node.host),
            Cell("● there" if node.alive else "✗ gone"),
            Cell(_share(node.cpus_used, node.cpus), sort=node.cpus_used),
            Cell(_share(node.gpus_used, node.gpus), sort=node.gpus_used),
            Cell(
                str(len(node.trials)),
                sort=len(node.trials),
                title=", ".join(map(str, node.trials)) or None,
            ),
            Cell(f"{node.pace:,.0f}" if node.pace else "–", sort=node.pace),
        ]
        for node in info.nodes
    ]
    about = "Machines, and what the running trials have asked for of them"
    return Table("machines", columns, rows, about)


def _share(used: float, there: float | None) -> str:
    return f"{used:g}" if there is None else f"{used:g} of {there:g}"


def _drivers_table(info: ClusterInfo) -> Table:
    columns = [
        Column("process", numeric=False),
        Column("state", numeric=False),
        Column("last sign of life"),
        Column("since", numeric=False),
        Column("trials"),
        Column("at once"),
    ]
    rows = [
        [
            Cell(f"{driver.pid} on {driver.host}"),
            Cell("▶ searching" if driver.alive else "✗ lost"),
            Cell(f"{duration(max(0.0, info.now - driver.seen))} ago", sort=info.now - driver.seen),
            Cell(f"{datetime.fromtimestamp(driver.started):%Y-%m-%d %H:%M}", sort=driver.started),
            Cell(str(info.owned.get(driver.id, 0)), sort=info.owned.get(driver.id, 0)),
            Cell(number(driver.about.get("concurrency"))),
        ]
        for driver in info.drivers
    ]
    return Table("drivers", columns, rows, "Those that signed off are not listed")


def _trials_table(record: StudyRecord, info: ClusterInfo) -> Table:
    columns = [
        Column("trial"),
        Column("machine", numeric=False),
        Column("device", numeric=False),
        Column("epoch"),
        Column(record.objective.metric),
        Column("images/s"),
        Column("running for"),
    ]
    rows = []
    for trial in info.running[:MOST_LISTED]:
        pace, began = trial.latest(PACE), trial.started
        seconds = None if began is None else max(0.0, info.now - began.timestamp())
        rows.append(
            [
                trial_cell(record.name, trial),
                Cell(str(trial.place.get("host", "–"))),
                Cell(str(trial.place.get("device", "–"))),
                Cell(f"{trial.epoch:g}", sort=trial.epoch),
                number_cell(trial.latest(record.objective.metric)),
                Cell("–" if pace is None else f"{pace:,.0f}", sort=pace or 0.0),
                Cell("–" if seconds is None else duration(seconds), sort=seconds or 0.0),
            ]
        )
    return Table("running", columns, rows, _listed(len(rows), len(info.running), "running"))


def _queue_table(record: StudyRecord, info: ClusterInfo) -> Table:
    columns = [
        Column("trial"),
        Column("waits for", numeric=False),
        Column("epoch"),
    ]
    queue = [(trial, "a machine") for trial in info.unplaced]
    queue += [(trial, "its turn") for trial in info.waiting]
    rows = [
        [trial_cell(record.name, trial), Cell(why), Cell(f"{trial.epoch:g}", sort=trial.epoch)]
        for trial, why in queue[:MOST_LISTED]
    ]
    return Table("queue", columns, rows, _listed(len(rows), len(queue), "waiting"))


def _listed(shown: int, total: int, which: str) -> str:
    return "All of them" if shown == total else f"The first {shown} of {total} {which} trials"
