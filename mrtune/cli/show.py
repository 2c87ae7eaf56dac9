"""`mrtune show`: every trial of a study, or everything about one."""

import click

from mrtune.cli import console
from mrtune.cli.options import (
    json_option,
    read,
    split_trial,
    storage_option,
    study_argument,
    trial_of,
)

MOST = 30


@click.command("show")
@study_argument("STUDY[/TRIAL]")
@storage_option
@click.option("--all", "every", is_flag=True, help=f"All trials, not only the best {MOST}.")
@json_option
def command(name: str, storage: str, every: bool, as_json: bool) -> None:
    """Show the trials of STUDY, the best first, or one TRIAL of it."""
    from mrtune.cli import study_text, trial_text

    study, trial_number = split_trial(name)
    record = read(storage, study)
    if trial_number is not None:
        trial = trial_of(record, trial_number)
        if as_json:
            console.print_json(trial.to_dict())
        else:
            trial_text.print_trial(record, trial)
        return
    if as_json:
        for trial in record.trials:
            console.print_json(trial.to_dict())
        return
    out = console.stdout()
    out.print(study_text.summary(record), soft_wrap=True)
    out.print()
    out.print(study_text.trials(record, None if every else MOST))
    if not every and len(record.trials) > MOST:
        out.print(f"[dim]{MOST} of {len(record.trials)} trials; --all shows them all[/]")
