"""`mrtune logs`: what a trial has printed."""

import codecs
import time

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
    from mrtune.places import place_of

    study, number = split_trial(name)
    if number is None:
        raise UsageError(f"a trial must be named STUDY/NUMBER, got {name!r}")
    trial = trial_of(read(storage, study), number)
    decoder, position = codecs.getincrementaldecoder("utf-8")("replace"), 0
    while True:
        finished, place = trial.finished, place_of(trial.slot or "")
        content = place.read(LOG, position) if trial.slot else None
        if content is None and not follow:
            raise UsageError(f"{name} has no log: there is no {LOG} in {trial.slot}")
        position += len(content or b"")
        click.echo(decoder.decode(content or b""), nl=False)
        if not follow or finished:
            return
        time.sleep(max(EVERY, place.look_every))
        trial = trial_of(read(storage, study), number)
