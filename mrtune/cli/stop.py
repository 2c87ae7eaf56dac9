"""`mrtune stop`: let a search end with the trials that run, or end one trial."""

import click

from mrtune.cli import console, request
from mrtune.cli.options import opened, split_trial, storage_option, study_argument


@click.command("stop")
@study_argument("STUDY[/TRIAL]")
@storage_option
def command(name: str, storage: str) -> None:
    """Let STUDY end once its running trials are done, or stop one TRIAL of it."""
    study, number = split_trial(name)
    if number is None:
        request.send(storage, study, "stop", "running trials finish, no other starts")
        return
    from mrtune.study import load_study
    from mrtune.study.control import stop_trial

    with opened(storage) as database:
        stop_trial(load_study(database, study), number)
    console.stdout().print(f"{name}: asked to stop")
