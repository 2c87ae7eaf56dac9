"""`mrtune best`: the configuration that a search found."""

from pathlib import Path

import click

from mrtune.cli import console
from mrtune.cli.options import (
    address_option,
    json_option,
    read,
    storage_option,
    study_argument,
    writing,
)
from mrtune.errors import UsageError
from mrtune.wording import settings


@click.command("best")
@study_argument()
@storage_option
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write it as a file for `mrtune train --config`.",
)
@click.option(
    "--confirm-seeds",
    type=click.IntRange(min=2),
    help="Train it and the default anew, with so many fresh seeds, and compare them.",
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Trials at a time, to confirm.")
@address_option
@json_option
def command(
    name: str,
    storage: str,
    export: Path | None,
    confirm_seeds: int | None,
    concurrency: int | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Print the best configuration of STUDY, and what it gains over the default one."""
    import yaml

    from mrtune.cli import study_text

    if confirm_seeds is not None:
        from mrtune.cli.confirm import confirm

        if export is not None:
            raise UsageError("--export and --confirm-seeds are two commands")
        confirm(name, storage, confirm_seeds, address, concurrency, as_json)
        return
    if address is not None or concurrency is not None:
        raise UsageError("--address and --concurrency go with --confirm-seeds, which trains")
    record = read(storage, name)
    best = record.best
    if best is None:
        raise UsageError(f"{name} has no complete trial yet")
    setting = dict(best.trials[0].setting)
    if export is not None:
        head = f"# {record.name}: {study_text.score(record, best)}, trial {best.number}\n"
        text = yaml.safe_dump(setting, sort_keys=False, allow_unicode=True)
        with writing("--export", export):
            export.write_text(head + text, encoding="utf-8")
    if as_json:
        console.print_json(
            {
                "trial": best.number,
                "values": [best.mean(i) for i in range(len(record.objectives))],
                "seeds": [trial.seed for trial in best.complete],
                "setting": setting,
                "default": record.default and record.default.mean(),
            }
        )
        return
    out = console.stdout()
    out.print(f"{study_text.score(record, best)}  [dim]trial {best.number}[/]")
    if gained := study_text.gain(record):
        out.print(gained)
    out.print(settings(setting), markup=False, soft_wrap=True)
    if export is not None:
        out.print(f"mrtune train {record.workload} --config {export}", markup=False, soft_wrap=True)
