"""`mrtune import`: a study that was exported elsewhere, to look at here."""

from pathlib import Path

import click

from mrtune.cli import console
from mrtune.cli.options import opened, runs_option, storage_option
from mrtune.errors import UsageError


@click.command("import")
@click.argument(
    "file", metavar="FILE.json", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--study", help="Name of the study here. [default: as it was]")
@storage_option
@runs_option
def command(file: Path, study: str | None, storage: str, runs: str) -> None:
    """Read a study that `mrtune export --json` wrote, to show, compare or report it here."""
    import orjson

    from mrtune.places import place_of
    from mrtune.search.importing import import_study

    try:
        content = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise UsageError(f"{file} cannot be read as JSON: {error}") from None
    with opened(storage, create=True) as database:
        name = import_study(database, content, place_of(runs).name, study)
    count = len(content["trials"])
    console.stdout().print(f"{name}: {count} trial{'s' * (count != 1)} read", highlight=False)
