"""`mrtune logs`: what a trial has printed, or the job that searches a study."""

import codecs
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mrtune.cli.options import read, split_trial, storage_option, study_argument, trial_of
from mrtune.cli.submit import is_job_server
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.study import StudyRecord, TrialRecord

LOG = "log.txt"
EVERY = 0.5  # seconds between two looks


@click.command("logs")
@study_argument("STUDY/TRIAL|STUDY")
@storage_option
@click.option(
    "--address",
    metavar="URL",
    help="Cluster (http://HEAD:8265) that STUDY was handed to: print what its newest job prints.",
)
@click.option("-f", "--follow", is_flag=True, help="Go on until the trial, or the job, ends.")
def command(name: str, storage: str, address: str | None, follow: bool) -> None:
    """Print the log of a TRIAL, or what the job of a STUDY has printed."""
    if address is not None:
        _print_job(name, address, follow)
        return
    study, number = split_trial(name)
    if number is None:
        raise UsageError(
            f"a trial must be named STUDY/NUMBER, got {name!r};"
            " of a study that was handed to a cluster, --address http://HEAD:8265 prints the job"
        )
    _print_trial(name, storage, study, number, follow)


def _print_job(study: str, address: str, follow: bool) -> None:
    from mrtune.search.submission import newest

    if not is_job_server(address):
        raise UsageError(f"--address must be a URL that takes jobs, got {address!r}")
    job = newest(address, study)
    for text in job.output() if follow else [job.printed()]:
        click.echo(text, nl=False)


def _print_trial(name: str, storage: str, study: str, number: int, follow: bool) -> None:
    from mrtune.places import place_of

    decoder, position = codecs.getincrementaldecoder("utf-8")("replace"), 0
    while True:
        record = read(storage, study)
        trial = trial_of(record, number)
        finished, place = trial.finished, place_of(trial.slot or "")
        content = place.read(LOG, position) if trial.slot else None
        if content is None and not (follow and _seen(record, trial)):
            raise UsageError(_absent(name, record, trial))
        position += len(content or b"")
        click.echo(decoder.decode(content or b""), nl=False)
        if not follow or finished:
            return
        time.sleep(max(EVERY, place.look_every))


def _seen(record: "StudyRecord", trial: "TrialRecord") -> bool:
    """Whether this machine sees where the log of a trial is, or will be."""
    runs = str(record.settings.get("runs", trial.slot))
    return trial.slot is None or "://" in runs or Path(runs).is_dir()


def _absent(name: str, record: "StudyRecord", trial: "TrialRecord") -> str:
    """Say where a log is that is not here."""
    if trial.slot is None:
        return f"{name} has no log: it has not begun"
    host = trial.place.get("host")
    if _seen(record, trial):
        there = "" if host is None else f", where {host} writes it"
        return f"{name} has no log: there is no {LOG} in {trial.slot}{there}"
    machine = "the machine that ran it" if host is None else str(host)
    way = "read it there" if host is None else f"`ssh {host} cat {trial.slot}/{LOG}` prints it"
    return f"{name} has its log in {trial.slot} of {machine}, which is not seen from here: {way}"
