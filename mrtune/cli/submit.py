"""Hands a command to a cluster as a Ray job, and shows what the job prints."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from mrtune.cli import console
from mrtune.errors import EXIT_INTERRUPTED, MrtuneError, UsageError


def is_job_server(address: str | None) -> bool:
    """Whether an address takes jobs, rather than being a cluster to join."""
    return address is not None and address.startswith(("http://", "https://"))


def hand_over(
    address: str,
    study: str,
    storage: str,
    runs: str | None,
    trainer: str,
    space_file: str | None,
    changed: Mapping[str, Any],
) -> None:
    """Run this very command on the cluster, with some parameters changed; the exit code is its."""
    from mrtune.search.luggage import travelling
    from mrtune.search.submission import ConnectionLost, submit
    from mrtune.study.storage import without_password

    _check_reachable(storage, runs)
    files = travelling(trainer)
    if space_file is not None and Path(space_file).is_file():
        files.append(Path(space_file))
    _mention_password(storage)
    context = click.get_current_context()
    words = said_again(context, {**changed, "address": "auto", "storage": None})
    command = [*context.command_path.split()[1:], *words]
    job = submit(address, study, command, files, without_password(storage))
    _say(f"{study}: job {job.id} of {address}")
    goes_on = f"the job goes on; `mrtune status {study}` follows it"
    try:
        for text in job.output():
            click.echo(text, nl=False)
        code = job.exit_code()
    except KeyboardInterrupt:
        _say(goes_on)
        code = EXIT_INTERRUPTED
    except ConnectionLost as error:
        raise MrtuneError(f"{error}; {goes_on}") from None
    context.exit(code)


def said_again(context: click.Context, changed: Mapping[str, Any]) -> list[str]:
    """Write the command line of a context anew, with some parameters changed; None leaves out."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        value = changed.get(name, context.params.get(name) if given else None)
        if value is None or value is False:
            continue
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif value is True:
            words.append(parameter.opts[-1])
        else:
            for one in value if isinstance(value, tuple) else (value,):
                words += [parameter.opts[-1], str(one)]
    return words


def _check_reachable(storage: str, runs: str | None) -> None:
    """Refuse what only means something on this machine."""
    from mrtune.places import place_of
    from mrtune.study.storage import parse_url

    url = parse_url(storage)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_absolute():
        rule = "a database that the cluster reaches (postgresql://…), or an absolute path there"
        raise UsageError(f"--storage must be {rule}, got {storage}")
    if runs is None:
        return
    place_of(runs)  # no secret travels
    if "://" not in runs and not Path(runs).is_absolute():
        raise UsageError(f"--runs must be an absolute path of the cluster, got {runs}")


def _mention_password(storage: str) -> None:
    from mrtune.study.storage import has_password

    if has_password(storage):
        _say(
            "the database's password stays here: the cluster's head must have it, "
            "in PGPASSWORD or ~/.pgpass"
        )


def _say(text: str) -> None:
    console.stderr().print(text, soft_wrap=True, markup=False, highlight=False)
