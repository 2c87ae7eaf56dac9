"""Studies and trials, as text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from mrtune.wording import duration, number, settings

if TYPE_CHECKING:
    from mrtune.study import Configuration, StudyRecord, TrialRecord

MOST_MACHINES = 8
# Shape and colour: either alone tells the states apart.
MARKS = {
    "waiting": "[dim]◌[/]",
    "running": "[cyan]▶[/]",
    "complete": "[green]●[/]",
    "pruned": "[yellow]✂[/]",
    "fail": "[red]✗[/]",
}


def state(trial: "TrialRecord") -> str:
    """Write a trial's state, with its mark."""
    return f"{MARKS[trial.state]} {trial.state}"


def counts(record: "StudyRecord") -> str:
    """Write the trials by state, with marks."""
    shown = [f"{MARKS[state]} {n} {state}" for state, n in record.counts.items() if n]
    return "   ".join(shown) or "no trial yet"


def score(record: "StudyRecord", configuration: "Configuration") -> str:
    """Write the mean of a configuration, with the spread over seeds where there are several."""
    from statistics import stdev

    parts = []
    for index, objective in enumerate(record.objectives):
        values = [t.values[index] for t in configuration.complete if t.values]
        spread = f" ± {stdev(values):.2g} over {len(values)} seeds" if len(values) > 1 else ""
        parts.append(f"{objective.metric} {configuration.mean(index):.4f}{spread}")
    return ", ".join(parts)


def gain(record: "StudyRecord") -> str | None:
    """Compare the best configuration with the trainer's own, where both are known."""
    best, default = record.best, record.default
    if best is None or default is None or len(record.objectives) > 1:
        return None
    reached, start = best.mean(), default.mean()
    if reached is None or start is None:
        return None
    if best.number == default.number:
        return "no configuration beats the default"
    sign = "" if reached < start else "+"
    return f"{sign}{reached - start:.4f} against the default's {start:.4f}"


def rungs(record: "StudyRecord") -> str | None:
    """Write how many trials came to each rung and how many passed."""
    levels: dict[int, list[bool]] = {}
    epochs: dict[int, float] = {}
    for trial in record.trials:
        for rung in trial.rungs:
            levels.setdefault(rung.rung, []).append(rung.kept)
            epochs[rung.rung] = min(epochs.get(rung.rung, rung.epoch), rung.epoch)
    if not levels:
        return None
    return "   ".join(
        f"epoch {epochs[rung]:g}: {sum(kept)} of {len(kept)} passed"
        for rung, kept in sorted(levels.items())
    )


def rows(facts: Mapping[str, str | None]) -> str:
    """Lay named facts out below each other, those that there are; long ones are not cut."""
    width = max(map(len, facts)) + 2
    return "\n".join(f"[bold]{name:<{width}}[/]{text}" for name, text in facts.items() if text)


def summary(record: "StudyRecord") -> str:
    """Write what there is to say of a study as a whole."""
    target = "" if record.target is None else f" of {record.target}"
    facts: dict[str, str | None] = {
        "study": f"{escape(record.name)}  [dim]{escape(record.workload)}[/]  {record.state}",
        "configurations": f"{len(record.configurations)}{target}",
        "trials": counts(record),
        "rungs": rungs(record),
    }
    if record.best is not None:
        best = record.best
        facts["best"] = f"{score(record, best)}  [dim]trial {best.number}[/]"
        facts["with"] = escape(settings(best.trials[0].params))
        facts["gain"] = gain(record)
    facts["machines"] = machines(record)
    remaining = record.eta
    if remaining is not None:
        facts["ready in about"] = duration(remaining)
    for driver in record.drivers:
        seen = "" if driver.alive else " (gone)"
        facts.setdefault("searched by", f"process {driver.pid} on {escape(driver.host)}{seen}")
    return rows(facts)


def machines(record: "StudyRecord") -> str | None:
    """Write the machines of a search that runs, every lost one first, and what waits for one."""
    from mrtune.study.machines import machines_of, unplaced

    known = machines_of(record) if record.alive else ()
    found = sorted(known, key=lambda machine: (machine.alive, not machine.trials))
    most = max(MOST_MACHINES, sum(not machine.alive for machine in found))
    shown = [
        f"{escape(m.host)} ({len(m.trials)} running)"
        if m.alive
        else f"{escape(m.host)} [red]gone[/]"
        for m in found[:most]
    ]
    if more := len(found) - len(shown):
        shown.append(f"{more} more")
    if waiting := len(unplaced(record)):
        shown.append(f"{waiting} waiting for a machine")
    return ", ".join(shown) or None


def trials(record: "StudyRecord", most: int | None = None) -> Table:
    """List trials, the best first, those without a value last."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = list(dict.fromkeys(name for trial in record.trials for name in trial.params))
    columns = ["trial", "state", "epoch", *(o.metric for o in record.objectives), *names]
    several = any(trial.seed != record.trials[0].seed for trial in record.trials)
    if several:
        columns.insert(1, "seed")
    for column in columns:
        table.add_column(column, justify="left" if column == "state" else "right", no_wrap=True)
    for trial in ranked(record)[:most]:
        cells = [str(trial.number), state(trial), f"{trial.epoch:g}"]
        if several:
            cells.insert(1, str(trial.seed))
        cells += [_latest(trial, o.metric) for o in record.objectives]
        cells += [number(trial.params[name]) if name in trial.params else "" for name in names]
        table.add_row(*cells)
    return table


def ranked(record: "StudyRecord") -> list["TrialRecord"]:
    """Sort trials: complete ones by value, then the others by how far they came."""
    sign = -1 if record.objective.direction == "maximize" else 1

    def key(trial: "TrialRecord") -> tuple[bool, float, float]:
        value = trial.latest(record.objective.metric)
        complete = trial.state == "complete"
        return (not complete, 0 if complete else -trial.epoch, sign * (value or 0))

    return sorted(record.trials, key=key)


def _latest(trial: "TrialRecord", metric: str) -> str:
    value = trial.latest(metric)
    return "" if value is None else f"{value:.4f}"
