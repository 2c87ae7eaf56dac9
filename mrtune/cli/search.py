"""`mrtune search`: find the configuration that trains best."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mrtune.cli import console
from mrtune.cli.options import (
    SEED,
    Duration,
    address_option,
    json_option,
    opened,
    runs_option,
    storage_option,
)
from mrtune.cli.submit import hand_over, is_job_server
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.search.space import Space

SAMPLERS = ("tpe", "gp", "cmaes", "random", "qmc", "grid", "nsga2")
PRUNERS = ("asha", "hyperband", "median", "wilcoxon", "none")


@click.command("search")
@click.argument("workload", metavar="WORKLOAD|FILE.py")
@click.option(
    "--space", "space_file", metavar="FILE|NAME", help="Search space. [default: the workload's]"
)
@click.option(
    "-S",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a value of the space: params.p.low=0.2.",
)
@click.option(
    "--trials", type=click.IntRange(min=1), help="Configurations to try. [default: the space's]"
)
@click.option(
    "--time-budget", type=Duration(), help="Stop after this time: 90s, 30m, 2h. Resumable."
)
@click.option(
    "--sampler", type=click.Choice(SAMPLERS), help="Rule that proposes. [default: the space's]"
)
@click.option(
    "--pruner", type=click.Choice(PRUNERS), help="Rule that stops early. [default: the space's]"
)
@click.option("--seeds", type=click.IntRange(min=1), help="Trainings of each configuration.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of proposals and trainings.")
@click.option(
    "--concurrency", type=click.IntRange(min=1), help="Trials at a time. [default: as many as fit]"
)
@click.option(
    "--cpus-per-trial", type=click.FloatRange(min=0, min_open=True), help="Cores of a trial."
)
@click.option(
    "--gpus-per-trial", type=click.FloatRange(min=0), help="GPUs of a trial; 0.5 shares one."
)
@click.option(
    "--memory-per-trial",
    type=click.FloatRange(min=0, min_open=True),
    help="GiB set aside for a trial.",
)
@click.option(
    "--gpu-memory-per-trial",
    type=click.FloatRange(min=0, min_open=True),
    help="GiB of its GPU that a trial may use at most.",
)
@click.option("--trial-timeout", type=Duration(), help="Fail a trial whose attempt takes longer.")
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Attempts after a worker is lost.",
)
@storage_option
@click.option(
    "--study", help="Name of the study. [default: WORKLOAD-1, -2, …; of a job WORKLOAD-DATE-TIME]"
)
@runs_option
@address_option
@click.option("--dry-run", is_flag=True, help="Only say what would be searched, and what it costs.")
@json_option
@click.option("-q", "--quiet", is_flag=True, help="Only the result.")
def command(
    workload: str,
    space_file: str | None,
    settings: tuple[str, ...],
    trials: int | None,
    time_budget: float | None,
    sampler: str | None,
    pruner: str | None,
    seeds: int | None,
    seed: int,
    concurrency: int | None,
    cpus_per_trial: float | None,
    gpus_per_trial: float | None,
    memory_per_trial: float | None,
    gpu_memory_per_trial: float | None,
    trial_timeout: float | None,
    retries: int,
    storage: str,
    study: str | None,
    runs: str,
    address: str | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Search for the best configuration of WORKLOAD, a name or a trainer file."""
    from mrtune.cli import search_run
    from mrtune.config import parse_setting
    from mrtune.places import check_usable, place_of
    from mrtune.search.provenance import provenance
    from mrtune.search.settings import Settings
    from mrtune.search.space import load_space, outlook_of
    from mrtune.search.studies import begin, check_free, check_name, free_name
    from mrtune.training.resolve import load_trainer

    chosen = {
        "trials": trials,
        "sampler": sampler,
        "pruner": pruner,
        "seeds": seeds,
        "resources.cpus": cpus_per_trial,
        "resources.gpus": gpus_per_trial,
        "resources.memory": memory_per_trial,
        "resources.gpu_memory": gpu_memory_per_trial,
    }
    overrides: list[tuple[str, Any]] = [parse_setting(setting) for setting in settings]
    overrides += [(key, value) for key, value in chosen.items() if value is not None]
    if workload.endswith(".py"):
        overrides.append(("trainer", str(Path(workload).resolve())))
    space = load_space(space_file or _own_space(workload), overrides)
    outlook = outlook_of(space)
    if dry_run:
        from mrtune.cli import dry_run as dry

        dry.print_plan(space, outlook, seed, concurrency, as_json)
        return
    if study is not None:
        check_name(study)
    if is_job_server(address):
        name = study or f"{Path(workload).stem}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        changed = {"workload": Path(workload).name, "study": name}
        if space_file is not None:
            changed["space_file"] = Path(space_file).name
        elif workload.endswith(".py"):
            space_file = _own_space(workload)
        hand_over(str(address), name, storage, runs, space.trainer, space_file, changed)
    for warning in outlook.warnings:
        console.stderr().print(f"warning: {warning}", soft_wrap=True, markup=False)
    search_run.check_submitter()
    _check_trainer(space, outlook.typical, seed)
    place = place_of(runs)
    check_usable(place)
    with opened(storage, create=True) as database:
        name = study or free_name(database, Path(workload).stem)
        check_free(database, name)
        share, silent = cpus_per_trial is None, as_json or quiet
        with search_run.ray_room(
            name, space.trainer, space.resources, place.name, address, concurrency, share, silent
        ) as room:
            if study is None:  # another search may have taken the name meanwhile
                name = free_name(database, Path(workload).stem)
            made = begin(
                database,
                name,
                space,
                Settings(
                    trials=None if time_budget and not trials else space.trials,
                    seed=seed,
                    grace=outlook.grace,
                    runs=place.name,
                    timeout=trial_timeout,
                    retries=retries,
                ),
                provenance(load_trainer(space.trainer)),
            )
            search_run.run(made, storage, room, time_budget, as_json, quiet)


def _own_space(workload: str) -> str:
    """Name the search space of a workload; a trainer file's lies beside it."""
    if not workload.endswith(".py"):
        return workload
    beside = Path(workload).with_suffix(".yaml")
    if not beside.is_file():
        raise UsageError(f"{workload} needs a search space: --space FILE, or {beside}")
    return str(beside)


def _check_trainer(space: "Space", config: dict[str, Any], seed: int) -> None:
    """Build the typical trainer here, so that a mistake is told before any worker starts."""
    from mrtune.training.resolve import build_trainer, load_trainer

    build_trainer(load_trainer(space.trainer), config, seed, "cpu")
