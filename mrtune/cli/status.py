"""`mrtune status`: how a search is doing."""

import time
from dataclasses import asdict

import click

from mrtune.cli import console
from mrtune.cli.options import json_option, newest, opened, storage_option, study_argument

EVERY = 1.0  # seconds between two looks


@click.command("status")
@study_argument("[STUDY]", required=False)
@storage_option
@click.option("--watch", is_flag=True, help="Look again every second until it ends.")
@json_option
def command(name: str | None, storage: str, watch: bool, as_json: bool) -> None:
    """Say how STUDY, by default the newest, is doing."""
    from rich.live import Live

    from mrtune.cli import study_text
    from mrtune.study import load_study, read_study
    from mrtune.study.machines import machines_of, unplaced

    with opened(storage) as database:
        study = load_study(database, name or newest(database, storage)[0])
        record = read_study(study)
        if as_json:
            console.print_json(
                {
                    "name": record.name,
                    "state": record.state,
                    "counts": record.counts,
                    "target": record.target,
                    "eta_s": record.eta,
                    "machines": [
                        {
                            "host": machine.host,
                            "alive": machine.alive,
                            "trials": [trial.number for trial in machine.trials],
                        }
                        for machine in machines_of(record)
                    ],
                    "waiting_for_machine": [trial.number for trial in unplaced(record)],
                    "drivers": [asdict(driver) for driver in record.drivers],
                }
            )
            return
        if not watch:
            console.stdout().print(study_text.summary(record), soft_wrap=True)
            return
        with Live(study_text.summary(record), console=console.stdout()) as live:
            while record.alive:
                time.sleep(EVERY)
                record = read_study(study)
                live.update(study_text.summary(record))
