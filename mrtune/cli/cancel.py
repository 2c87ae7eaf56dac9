"""`mrtune cancel`: end a search now."""

import click

from mrtune.cli import request
from mrtune.cli.options import storage_option, study_argument


@click.command("cancel")
@study_argument()
@storage_option
def command(name: str, storage: str) -> None:
    """End STUDY now; its running trials fail as cancelled."""
    request.send(storage, name, "cancel", "its running trials are ended")
