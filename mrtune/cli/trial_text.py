"""One trial, as text."""

from typing import TYPE_CHECKING

from rich.markup import escape

from mrtune.cli import console, study_text
from mrtune.wording import duration, number, settings

if TYPE_CHECKING:
    from mrtune.study import StudyRecord, TrialRecord


def print_trial(record: "StudyRecord", trial: "TrialRecord") -> None:
    """Print everything about a trial."""
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
