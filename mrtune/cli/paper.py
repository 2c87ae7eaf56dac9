"""`mrtune paper`: the paper's figures and tables, on your data, by one command each."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mrtune.cli import console
from mrtune.cli.options import (
    SEED,
    address_option,
    opened,
    read,
    runs_option,
    split_option,
    storage_option,
    writing,
)
from mrtune.cli.submit import hand_over, is_job_server
from mrtune.errors import TrialsFailed, UsageError

if TYPE_CHECKING:
    from mrtune.search.experiments import Experiment
    from mrtune.study import StudyRecord

NAMES = (
    "p",
    "p-long",
    "p-plateau",
    "p-steps",
    "p-norms",
    "delta-r",
    "selection",
    "benchmark",
    "attributes",
)
SCALES = ("full", "small")


@click.group("paper")
def command() -> None:
    """Run the experiments of the paper."""


@command.command("list")
def list_() -> None:
    """List the experiments, and the workloads that each has a grid for."""
    from rich.table import Table

    from mrtune.search.experiments import EXPERIMENTS, workloads_of

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("name", "question", "full", "small"):
        table.add_column(title)
    for experiment in EXPERIMENTS.values():
        grids = [", ".join(workloads_of(experiment, scale)) for scale in SCALES]
        table.add_row(experiment.name, experiment.question, *grids)
    console.stdout().print(table)


@command.command("run")
@click.argument("name", metavar="NAME", type=click.Choice(NAMES))
@click.option("--workload", default="celeba", show_default=True, help="Data, network and metrics.")
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="full",
    show_default=True,
    help="As in the paper, or as two cores can do it.",
)
@click.option("--seeds", type=click.IntRange(min=1), help="Trainings of each configuration.")
@click.option("--seed", type=SEED, help="Of the first training. [default: 0]")
@click.option(
    "-S", "settings", multiple=True, metavar="KEY=VALUE", help="Set a value of the grid's space."
)
@click.option("--resume", "again", is_flag=True, help="Go on with an experiment that was begun.")
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for its page and tables. [default: paper/STUDY-NAME]",
)
@split_option("val")
@click.option("--concurrency", type=click.IntRange(min=1), help="Trials at a time.")
@storage_option
@runs_option
@address_option
@click.option("-q", "--quiet", is_flag=True, help="Only the result.")
def run(
    name: str,
    workload: str,
    scale: str,
    seeds: int | None,
    seed: int | None,
    settings: tuple[str, ...],
    again: bool,
    out: Path | None,
    split: str,
    concurrency: int | None,
    storage: str,
    runs: str,
    address: str | None,
    quiet: bool,
) -> None:
    """Run the experiment NAME, and write its figure and its table: text, CSV and LaTeX."""
    from mrtune.search.experiments import EXPERIMENTS, space_of, study_of

    experiment = EXPERIMENTS[name]
    space, study = space_of(experiment, workload, scale), study_of(experiment, workload, scale)
    if is_job_server(address):
        _check_out(out)
        hand_over(str(address), study, storage, runs, workload, None, {})
    known = _is_known(storage, study)
    how: dict[str, Any] = {
        "storage": storage,
        "concurrency": concurrency,
        "address": address,
        "quiet": quiet,
    }
    failed: TrialsFailed | None = None
    try:
        if known:
            record = read(storage, study)
            longer = not record.done or seeds not in {None, record.space["seeds"]}
            if longer and not again:
                raise UsageError(f"{study} was begun before; --resume goes on with it")
            _check_same(record, space, seed, settings)
            _check_runs(record, runs)
            if longer:
                _resume(study, seeds, how)
        else:
            _begin(workload, space, study, (seeds, seed or 0), settings, runs, how)
    except TrialsFailed as error:
        failed = error
    _write(experiment, study, storage, split, out or Path("paper") / f"{study}-{name}")
    if failed is not None:
        raise failed


def _is_known(storage: str, study: str) -> bool:
    from mrtune.study import study_names

    with opened(storage, create=True) as database:
        return study in study_names(database)


def _begin(
    workload: str,
    space: str,
    study: str,
    seeds: tuple[int | None, int],  # their number, and the first
    settings: tuple[str, ...],
    runs: str,
    how: dict[str, Any],
) -> None:
    from mrtune.cli.search import command as search

    context = click.get_current_context()
    context.invoke(
        search,
        workload=workload,
        space_file=space,
        study=study,
        seeds=seeds[0],
        seed=seeds[1],
        settings=settings,
        runs=runs,
        **how,
    )


def _check_same(
    record: "StudyRecord", space: str, seed: int | None, settings: tuple[str, ...]
) -> None:
    """Refuse to go on with an experiment as if it were another."""
    from mrtune.config import parse_setting
    from mrtune.search.space import load_space

    if seed is not None and seed != record.settings["seed"]:
        rule = f"{record.settings['seed']}, as {record.name} was begun"
        raise UsageError(f"--seed must be {rule}, got {seed}")
    overrides = [parse_setting(setting) for setting in settings]
    wanted = load_space(space, overrides).to_dict()
    for (key, _), setting in zip(overrides, settings, strict=True):
        known = _within(record.space, key)
        if _within(wanted, key) != known:
            rule = f"{key}={known}, as {record.name} was begun"
            raise UsageError(f"-S must be {rule}, got {setting}")


def _check_runs(record: "StudyRecord", runs: str) -> None:
    """Refuse to go on in another place than where checkpoints are."""
    from mrtune.places import place_of

    source = click.get_current_context().get_parameter_source("runs")
    known, wanted = record.settings["runs"], place_of(runs).name
    if source == ParameterSource.COMMANDLINE and wanted != known:
        raise UsageError(f"--runs must be {known}, as {record.name} was begun, got {wanted}")


def _within(content: Any, key: str) -> Any:
    """Return what a dotted key leads to, as far as it leads."""
    for part in key.split("."):
        if not isinstance(content, dict) or part not in content:
            break
        content = content[part]
    return content


def _resume(study: str, seeds: int | None, how: dict[str, Any]) -> None:
    from mrtune.cli.resume import command as resume

    click.get_current_context().invoke(resume, name=study, seeds=seeds, **how)


def _check_out(out: Path | None) -> None:
    if out is None or not out.is_absolute():
        raise UsageError(f"--out must be an absolute path of the cluster for a job, got {out}")


def _write(experiment: "Experiment", study: str, storage: str, split: str, folder: Path) -> None:
    """Write the page and its tables, and print the tables."""
    from dashboards.blocks import Table, Text
    from dashboards.pages import VIEWS
    from dashboards.report import to_html
    from dashboards.tables import to_csv, to_tex, to_text

    record = read(storage, study)
    if record.best is None:
        return
    query = {"split": split}
    blocks = VIEWS[experiment.page].blocks(record, query)
    out = console.stdout()
    with writing("--out", folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "page.html").write_text(
            to_html([record], {experiment.page}, query), encoding="utf-8"
        )
        for table in (block for block in blocks if isinstance(block, Table)):
            for suffix, write in (("txt", to_text), ("csv", to_csv), ("tex", to_tex)):
                path = folder / f"{table.name}.{suffix}"
                path.write_text(write(table), encoding="utf-8")
            out.print(to_text(table), soft_wrap=True, markup=False, highlight=False)
    for text in (block for block in blocks if isinstance(block, Text)):
        out.print(text.text, soft_wrap=True, markup=False, highlight=False)
    out.print(f"Its page and its tables are in {folder}.", soft_wrap=True, markup=False)
