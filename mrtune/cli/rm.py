"""`mrtune rm`: forget a study."""

import click

from mrtune.cli import console
from mrtune.cli.options import opened, storage_option, study_argument
from mrtune.errors import UsageError


@click.command("rm")
@study_argument()
@storage_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def command(name: str, storage: str, yes: bool) -> None:
    """Remove STUDY with its checkpoints and logs."""
    from mrtune.search.studies import place_in
    from mrtune.study import load_study, read_study, remove_study

    with opened(storage) as database:
        study = load_study(database, name)
        record = read_study(study)
        if record.alive:
            raise UsageError(f"{name} is being searched: `mrtune cancel {name}` ends that")
        count = len(record.trials)
        if not yes:
            click.confirm(f"Remove {name} with its {count} trials?", abort=True)
        runs = record.settings.get("runs")
        place = place_in(runs, study) if runs else None
        remove_study(database, name)
    if place is not None:
        place.clear()
    console.stdout().print(f"{name} is gone")
