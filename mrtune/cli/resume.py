"""`mrtune resume`: go on with a search, here, or let a paused one go on."""

from typing import TYPE_CHECKING

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
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.study import StudyRecord


@click.command("resume")
@study_argument()
@storage_option
@click.option("--trials", type=click.IntRange(min=1), help="Change the number of configurations.")
@click.option(
    "--seeds", type=click.IntRange(min=1), help="Raise the trainings of each configuration."
)
@click.option("--time-budget", type=Duration(), help="Stop after this time: 90s, 30m, 2h.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Trials at a time.")
@address_option
@json_option
@click.option("-q", "--quiet", is_flag=True, help="Only the result.")
def command(
    name: str,
    storage: str,
    trials: int | None,
    seeds: int | None,
    time_budget: float | None,
    concurrency: int | None,
    address: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Continue STUDY: a paused search goes on where it runs, any other is searched here too."""
    from mrtune.cli import search_run
    from mrtune.search.extension import check_seeds, extend
    from mrtune.search.studies import reopen
    from mrtune.study import read_study
    from mrtune.study.control import ask

    with opened(storage) as database:
        study = reopen(database, name)
        record = read_study(study.study)
        if seeds is not None:
            check_seeds(study, seeds)
        if record.state == "paused":
            _check_alone(name, trials, time_budget, concurrency, address)
            ask(study.study, "run")
            _say(name, "running", "goes on", as_json)
            return
        if is_job_server(address):
            hand_over(str(address), name, storage, None, record.workload, None, {})
        search_run.check_submitter()
        if record.done and not _made_longer(record, trials, seeds):
            longer = "is finished; --trials N or --seeds N makes it longer"
            _say(name, record.state, longer, as_json)
            return
        wanted, runs = study.space.resources, study.settings.runs
        with search_run.ray_room(
            name, record.workload, wanted, runs, address, concurrency, True, as_json or quiet
        ) as room:
            study = extend(study, trials, seeds)
            search_run.run(study, storage, room, time_budget, as_json, quiet)


def _check_alone(name: str, *options: object) -> None:
    """Refuse options for a search here where the one that waits elsewhere is to go on."""
    if any(option is not None for option in options):
        raise UsageError(
            f"{name} is paused: `mrtune resume {name}` lets it go on where it runs, without "
            "--trials, --time-budget, --concurrency and --address"
        )


def _say(name: str, state: str, text: str, as_json: bool) -> None:
    if as_json:
        console.print_json({"study": name, "state": state})
    else:
        console.stdout().print(f"{name} {text}")


def _made_longer(record: "StudyRecord", trials: int | None, seeds: int | None) -> bool:
    return (trials or 0) > (record.target or 0) or (seeds or 0) > record.space["seeds"]
