"""`mrtune export`: the numbers of a study for other programs."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mrtune.cli.options import read, split_option, storage_option, study_argument, writing
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.study import StudyRecord


@click.command("export")
@study_argument()
@storage_option
@click.option("--csv", "as_csv", is_flag=True, help="A row for each trial.")
@click.option("--json", "as_json", is_flag=True, help="Everything, as one JSON object.")
@click.option("--tex", "as_tex", is_flag=True, help="Methods × metrics, as a LaTeX table.")
@split_option("val")
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write to."
)
def command(
    name: str, storage: str, as_csv: bool, as_json: bool, as_tex: bool, split: str, out: Path | None
) -> None:
    """Print STUDY for other programs: as CSV, JSON or LaTeX, which is of one split."""
    if as_csv + as_json + as_tex != 1:
        raise UsageError("say one of --csv, --json and --tex")
    source = click.get_current_context().get_parameter_source("split")
    if source == ParameterSource.COMMANDLINE and not as_tex:
        raise UsageError("--split goes with --tex; the other formats have both splits")
    record = read(storage, name)
    text = to_csv(record) if as_csv else to_json(record) if as_json else to_tex(record, split)
    if out is None:
        click.echo(text, nl=False)
    else:
        with writing("--out", out):
            out.write_text(text, encoding="utf-8")


def to_tex(record: "StudyRecord", split: str) -> str:
    """Write the paper's kind of table; only complete trials count."""
    from dashboards.views import benchmark

    if record.best is None:
        raise UsageError(f"{record.name} has no complete trial yet")
    return benchmark.to_tex(benchmark.info(record, split))


def to_csv(record: "StudyRecord") -> str:
    """Write a row for each trial: state, objective values, parameters, final metrics."""
    params = list(dict.fromkeys(name for trial in record.trials for name in trial.params))
    metrics = list(dict.fromkeys(name for trial in record.trials for name in trial.metrics))
    objectives = [f"value/{objective.metric}" for objective in record.objectives]
    head = ["trial", "config", "seed", "state", "epoch", "seconds", *objectives, *params]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*head, *(f"metric/{name}" for name in metrics), "failure"])
    for trial in record.trials:
        values: tuple[Any, ...] = trial.values or ("",) * len(objectives)
        writer.writerow(
            [
                *(trial.number, trial.config, trial.seed, trial.state, trial.epoch, trial.seconds),
                *values,
                *(trial.params.get(name, "") for name in params),
                *(trial.metrics.get(name, "") for name in metrics),
                (trial.failure or {}).get("reason", ""),
            ]
        )
    return buffer.getvalue()


def to_json(record: "StudyRecord") -> str:
    """Write the study and all its trials."""
    import json

    content = {
        "name": record.name,
        "workload": record.workload,
        "state": record.state,
        "space": record.space,
        "settings": record.settings,
        "trials": [trial.to_dict() for trial in record.trials],
    }
    return json.dumps(content, ensure_ascii=False) + "\n"
