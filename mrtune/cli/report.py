"""`mrtune report`: the pages of studies in one file, to send to a colleague."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mrtune.cli import console
from mrtune.cli.options import complete_study, newest, opened, storage_option, writing
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.study import StudyRecord


@click.command("report")
@click.argument("names", metavar="[STUDY]…", nargs=-1, shell_complete=complete_study)
@storage_option
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="HTML file to write. [default: STUDY.html]",
)
@click.option(
    "--png", type=click.Path(file_okay=False, path_type=Path), help="Folder for PNG pictures."
)
@click.option(
    "--pdf", type=click.Path(file_okay=False, path_type=Path), help="Folder for PDF pictures."
)
def command(
    names: tuple[str, ...], storage: str, out: Path | None, png: Path | None, pdf: Path | None
) -> None:
    """Write a report on each STUDY, by default the newest: one HTML file that needs no network."""
    from dashboards.report import to_html
    from mrtune.study import load_study, read_study

    with opened(storage) as database:
        chosen = dict.fromkeys(names or newest(database, storage))
        records = [read_study(load_study(database, name)) for name in chosen]
    path = out or Path(f"{records[0].name.replace('/', '-')}.html")
    with writing("--out", path):
        path.write_text(to_html(records), encoding="utf-8")
    console.stdout().print(f"The report is {path}.", soft_wrap=True, markup=False)
    for folder, kind in ((png, "png"), (pdf, "pdf")):
        if folder is not None:
            _write_pictures(records, folder, kind)


def _write_pictures(records: "list[StudyRecord]", folder: Path, kind: str) -> None:
    try:
        from dashboards.images import write_pictures
    except ImportError:
        raise UsageError(f"--{kind} needs kaleido: pip install 'mrtune[images]'") from None
    with writing(f"--{kind}", folder):
        paths = write_pictures(records, folder, kind)
    console.stdout().print(f"{len(paths)} pictures are in {folder}.", soft_wrap=True, markup=False)
