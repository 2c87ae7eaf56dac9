"""`mrtune ls`: the studies of a storage."""

import click

from mrtune.cli import console
from mrtune.cli.options import json_option, opened, storage_option


@click.command("ls")
@storage_option
@json_option
def command(storage: str, as_json: bool) -> None:
    """List the studies of a storage."""
    from rich.table import Table

    from mrtune.cli import study_text
    from mrtune.study import load_study, read_study, study_names

    with opened(storage) as database:
        records = [read_study(load_study(database, name)) for name in study_names(database)]
    if as_json:
        for record in records:
            console.print_json(
                {
                    "name": record.name,
                    "workload": record.workload,
                    "state": record.state,
                    "counts": record.counts,
                    "target": record.target,
                    "best": record.best and record.best.mean(),
                }
            )
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("study", no_wrap=True)  # a name that is cut or folded cannot be copied
    for column in ("state", "trials", "best"):
        table.add_column(column, overflow="fold")
    for record in records:
        best = study_text.score(record, record.best) if record.best else ""
        table.add_row(record.name, record.state, study_text.counts(record), best)
    console.stdout().print(table if records else "no study yet")
