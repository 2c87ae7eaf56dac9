"""`mrtune pause`: let a search wait."""

import click

from mrtune.cli import request
from mrtune.cli.options import storage_option, study_argument


@click.command("pause")
@study_argument()
@storage_option
def command(name: str, storage: str) -> None:
    """Let the running trials of STUDY write checkpoints and wait; `mrtune resume` continues."""
    request.send(storage, name, "pause", "its trials write checkpoints and wait")
