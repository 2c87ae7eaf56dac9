"""Asks something of the processes that search a study."""

from typing import TYPE_CHECKING

from mrtune.cli import console
from mrtune.cli.options import opened

if TYPE_CHECKING:
    from mrtune.study.control import Request


def send(storage: str, name: str, request: "Request", meaning: str) -> None:
    """Leave a request in the storage, where those processes look every second."""
    from mrtune.study import load_study, read_study
    from mrtune.study.control import ask

    with opened(storage) as database:
        study = load_study(database, name)
        if not read_study(study).alive:
            console.stdout().print(f"no process searches {name} now: there is nothing to {request}")
            return
        ask(study, request)
    console.stdout().print(f"{name}: {meaning}")
