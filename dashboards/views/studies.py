"""Studies: which sweep of a storage needs a look?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboards.blocks import Block, Cell, Choice, Column, Entry, Facts, Row, Table, Text
from dashboards.parts.links import study_link
from dashboards.parts.query import picked
from dashboards.parts.words import counts_text, moment_text
from mrtune.study import StudyRecord
from mrtune.wording import duration, number

TITLE = "Studies"
QUESTION = "Which sweep matters now?"

MARKS: Mapping[str, str] = {
    "running": "▶",
    "paused": "⏸",
    "stopping": "◼",
    "interrupted": "⚠",
    "stopped": "◻",
    "finished": "●",
}
ALL = "all"


@dataclass(frozen=True)
class StudyRow:
    """A study in a line."""

    name: str
    workload: str
    state: str
    counts: Mapping[str, int]
    metric: str
    best: float | None
    started: datetime | None
    eta: float | None  # seconds
    host: str  # of the processes that search it, or did last


@dataclass(frozen=True)
class StudiesInfo:
    """The studies of a storage, the newest first."""

    rows: tuple[StudyRow, ...]


def info(records: Sequence[StudyRecord]) -> StudiesInfo:
    """Sum every study up."""
    rows = [_row(record) for record in records]
    return StudiesInfo(tuple(sorted(rows, key=_newest)))


def shown(info: StudiesInfo, text: str = "", state: str = ALL) -> StudiesInfo:
    """Keep the studies whose name or workload has a text in it, and that are in a state."""
    rows = [
        row
        for row in info.rows
        if text.casefold() in f"{row.name}\n{row.workload}".casefold() and state in {ALL, row.state}
    ]
    return StudiesInfo(tuple(rows))


def blocks(records: Sequence[StudyRecord], query: Mapping[str, str]) -> list[Block]:
    """Lay the page out."""
    found = info(records)
    if not found.rows:
        return [Text("No study yet: `mrtune search WORKLOAD` begins one.", "note")]
    states = [state for state in MARKS if any(row.state == state for row in found.rows)]
    text = query.get("q", "").strip()
    state = picked(query, "state", states, ALL)
    options = {ALL: "all", **{state: f"{MARKS[state]} {state}" for state in states}}
    kept = shown(found, text, state)
    page: list[Block] = [
        Facts(_facts(found)),
        Row(
            [
                Entry("q", "Search", text, "name or workload"),
                Choice("state", "State", options, state),
            ]
        ),
    ]
    cut = [row.name for row in found.rows if row.state == "interrupted"]
    if cut:
        whose = f"{cut[0]} was" if len(cut) == 1 else f"{len(cut)} studies were"
        page.append(Text(f"{whose} interrupted: `mrtune resume NAME` goes on.", "warning"))
    if not kept.rows:
        return [*page, Text("No study is like that.", "note")]
    return [*page, _table(kept, len(found.rows))]


def _row(record: StudyRecord) -> StudyRow:
    best = record.best
    drivers = sorted(record.drivers, key=lambda driver: (not driver.alive, -driver.seen))
    hosts = dict.fromkeys(d.host for d in drivers if d.alive) or [d.host for d in drivers[:1]]
    return StudyRow(
        name=record.name,
        workload=record.workload,
        state=record.state,
        counts=record.counts,
        metric=record.objective.metric,
        best=None if best is None else best.mean(),
        started=min((trial.started for trial in record.trials if trial.started), default=None),
        eta=record.eta,
        host=", ".join(hosts),
    )


def _newest(row: StudyRow) -> tuple[float, str]:
    """Those without a trial yet are the newest of all."""
    return (-float("inf") if row.started is None else -row.started.timestamp(), row.name)


def _facts(info: StudiesInfo) -> dict[str, str]:
    running = [row for row in info.rows if row.state == "running"]
    facts = {"studies": str(len(info.rows)), "▶ running": str(len(running))}
    facts["trials running"] = str(sum(row.counts["running"] for row in info.rows))
    failed = sum(row.counts["fail"] for row in info.rows)
    if failed:
        facts["✗ failed trials"] = str(failed)
    etas = [row.eta for row in running if row.eta is not None]
    if etas:
        facts["next is ready in about"] = duration(min(etas))
    return facts


def _table(info: StudiesInfo, total: int) -> Table:
    columns = [
        Column("study", numeric=False),
        Column("state", numeric=False),
        Column("trials", numeric=False),
        Column("metric", numeric=False),
        Column("best"),
        Column("started", numeric=False),
        Column("ready in"),
        Column("on", numeric=False),
    ]
    rows = [
        [
            Cell(row.name, link=study_link(row.name), title=row.workload),
            Cell(f"{MARKS[row.state]} {row.state}", sort=list(MARKS).index(row.state)),
            Cell(
                counts_text(row.counts) or "none yet",
                sort=sum(row.counts.values()),
                title=", ".join(f"{count} {state}" for state, count in row.counts.items() if count),
            ),
            Cell(row.metric),
            Cell(number(row.best), sort=float("-inf") if row.best is None else row.best),
            Cell(moment_text(row.started), sort=row.started.timestamp() if row.started else 0.0),
            Cell("–" if row.eta is None else duration(row.eta), sort=row.eta or 0.0),
            Cell(row.host or "–"),
        ]
        for row in info.rows
    ]
    count = f"{total} studies" if len(rows) == total else f"{len(rows)} of {total} studies"
    return Table(
        "studies", columns, rows, f"{count}; ● complete ✂ pruned ✗ failed ▶ running ◌ waiting"
    )
