"""`mrtune show`: every trial of a study, or everything about one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from mrtune.cli import console, study_text
from mrtune.cli.options import (
    json_option,
    read,
    split_trial,
    storage_option,
    study_argument,
    trial_of,
)
from mrtune.wording import duration, number, settings

if TYPE_CHECKING:
    from mrtune.study import StudyRecord, TrialRecord

MOST = 30


@click.command("show")
@study_argument("STUDY[/TRIAL]")
@storage_option
@click.option("--all", "every", is_flag=True, help=f"All trials, not only the best {MOST}.")
@json_option
def command(name: str, storage: str, every: bool, as_json: bool) -> None:
    """Show the trials of STUDY, the best first, or one TRIAL of it."""
    study, trial_number = split_trial(name)
    record = read(storage, study)
    if trial_number is not None:
        trial = trial_of(record, trial_number)
        if as_json:
            console.print_json(plain(trial))
        else:
            _print_trial(record, trial)
        return
    if as_json:
        for trial in record.trials:
            console.print_json(plain(trial))
        return
    out = console.stdout()
    out.print(study_text.summary(record), soft_wrap=True)
    out.print()
    out.print(study_text.trials(record, None if every else MOST))
    if not every and len(record.trials) > MOST:
        out.print(f"[dim]{MOST} of {len(record.trials)} trials; --all shows them all[/]")


def plain(trial: "TrialRecord") -> dict[str, Any]:
    """Return a trial as JSON can hold it."""
    content: dict[str, Any] = {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in vars(trial).items()
    }
    content["rungs"] = [vars(rung) for rung in trial.rungs]
    for moment in ("started", "ended"):
        content[moment] = content[moment] and content[moment].isoformat()
    return content


def _print_trial(record: "StudyRecord", trial: "TrialRecord") -> None:
    out = console.stdout()
    facts: dict[str, str | None] = {
        "trial": f"{escape(record.name)}/{trial.number}  {study_text.state(trial)}",
        "configuration": escape(settings(trial.setting)),
        "seed": str(trial.seed),
        "epoch": f"{trial.epoch:g} of {record.epochs:g}",
        "work": duration(trial.seconds),
        "place": escape(settings(trial.place)),
        "retries": str(trial.retries) if trial.retries else None,
        "folder": trial.slot,
    }
    for rung in trial.rungs:
        needed = "" if rung.threshold is None else f", {rung.threshold:.4f} was needed"
        verdict = "went on" if rung.kept else "stopped"
        facts[f"rung {rung.rung}"] = (
            f"{verdict} at epoch {rung.epoch:g} with {rung.value:.4f}{needed}"
        )
    for metric in sorted(
        name for name in trial.metrics if name.count("/") == name.startswith("val/")
    ):
        facts[metric] = number(trial.metrics[metric])
    for key, value in trial.provenance.items():
        facts[key] = escape(number(value))
    out.print(study_text.rows(facts), soft_wrap=True)
    if trial.failure:
        out.print(f"\n[red]{escape(trial.failure['reason'])}[/]", soft_wrap=True)
        out.print(trial.failure["traceback"], markup=False, soft_wrap=True)
