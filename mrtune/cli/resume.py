"""`mrtune resume`: go on with a search, here, or let a paused one go on."""

import click

from mrtune.cli import console
from mrtune.cli.options import (
    Duration,
    address_option,
    json_option,
    opened,
    storage_option,
    study_argument,
)
from mrtune.cli.submit import hand_over, is_job_server


@click.command("resume")
@study_argument()
@storage_option
@click.option("--trials", type=click.IntRange(min=1), help="Change the number of configurations.")
@click.option("--time-budget", type=Duration(), help="Stop after this time: 90s, 30m, 2h.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Trials at a time.")
@address_option
@json_option
@click.option("-q", "--quiet", is_flag=True, help="Only the result.")
def command(
    name: str,
    storage: str,
    trials: int | None,
    time_budget: float | None,
    concurrency: int | None,
    address: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Continue STUDY: a paused search goes on where it runs, any other is searched here too."""
    from mrtune.cli import search_run
    from mrtune.search.studies import extend, reopen
    from mrtune.study import read_study
    from mrtune.study.control import ask

    with opened(storage) as database:
        study = reopen(database, name)
        record = read_study(study.study)
        if record.state == "paused":
            ask(study.study, "run")
            console.stdout().print(f"{name} goes on")
            return
        if is_job_server(address):
            hand_over(str(address), name, storage, None, record.workload, None, {})
        search_run.check_submitter()
        if trials is not None:
            study = extend(study, trials)
        elif record.done:
            console.stdout().print(f"{name} is finished; --trials N makes it longer")
            return
        search_run.run(study, storage, address, concurrency, True, time_budget, as_json, quiet)
