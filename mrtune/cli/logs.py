"""`mrtune logs`: what a trial has printed."""

import time
from pathlib import Path

import click

from mrtune.cli.options import read, split_trial, storage_option, study_argument, trial_of
from mrtune.errors import UsageError

LOG = "log.txt"
EVERY = 0.5  # seconds between two looks


@click.command("logs")
@study_argument("STUDY/TRIAL")
@storage_option
@click.option("-f", "--follow", is_flag=True, help="Go on until the trial ends.")
def command(name: str, storage: str, follow: bool) -> None:
    """Print the log of a TRIAL."""
    study, number = split_trial(name)
    if number is None:
        raise UsageError(f"a trial must be named STUDY/NUMBER, got {name!r}")
    trial = trial_of(read(storage, study), number)
    path = Path(trial.slot or "") / LOG
    if not path.is_file() and not follow:
        raise UsageError(f"{name} has no log: there is no {path}")
    position = 0
    while True:
        finished = trial.finished
        if path.is_file():
            with path.open(encoding="utf-8", errors="replace") as file:
                file.seek(position)
                click.echo(file.read(), nl=False)
                position = file.tell()
        if not follow or finished:
            return
        time.sleep(EVERY)
        trial = trial_of(read(storage, study), number)
        path = Path(trial.slot or "") / LOG
