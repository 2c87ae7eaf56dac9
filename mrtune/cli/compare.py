"""`mrtune compare`: is one configuration, method or study better than another, beyond chance?"""

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from mrtune.cli import console
from mrtune.cli.options import complete_study, json_option, read, split_option, storage_option
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.cli.contenders import Contender
    from mrtune.metrics import Direction


@click.command("compare")
@click.argument("one", metavar="A", shell_complete=complete_study)
@click.argument("other", metavar="B", shell_complete=complete_study)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="Compare by this; may be repeated. [default: the objectives of A]",
)
@split_option("val")
@click.option(
    "--test",
    type=click.Choice(["t", "signed-rank"]),
    default="t",
    show_default=True,
    help="Of the differences over common seeds.",
)
@storage_option
@json_option
def command(
    one: str,
    other: str,
    metrics: tuple[str, ...],
    split: str,
    test: str,
    storage: str,
    as_json: bool,
) -> None:
    """Compare A with B over the seeds that both were trained with.

    Each is STUDY (its best configuration), STUDY/TRIAL (that trial's) or STUDY/METHOD (the
    method's best).
    """
    from mrtune.cli.contenders import difference
    from mrtune.cli.difference_text import print_difference, print_sides
    from mrtune.metrics import DIRECTIONS

    contenders = [_contender(name, storage) for name in (one, other)]
    ours, theirs = contenders
    workloads = [PurePath(contender.record.workload).name for contender in contenders]
    if len(set(workloads)) > 1:  # a trainer file is elsewhere on each machine
        raise UsageError(f"A and B must be of one workload, got {' and '.join(workloads)}")
    objectives: dict[str, Direction] = {o.metric: o.direction for o in ours.record.objectives}
    directions = {**DIRECTIONS, **objectives}
    wanted = list(dict.fromkeys(metrics or objectives))
    for contender in contenders:
        _check_metrics(contender, wanted, split, directions)
    if not ours.by_seed(split).keys() & theirs.by_seed(split).keys():
        raise UsageError(
            f"A and B must have seeds in common, got {_seeds(ours)} of {one} and "
            f"{_seeds(theirs)} of {other}"
        )
    found = difference(ours, theirs, wanted, directions, test, split)
    if as_json:
        console.print_json(found.to_dict())
    else:
        print_sides(contenders)
        print_difference(found, test)


def _contender(name: str, storage: str) -> "Contender":
    from mrtune.cli.contenders import contender

    study, _, part = name.rpartition("/")
    return contender(name, read(storage, study or name), part if study else None)


def _check_metrics(
    contender: "Contender", metrics: list[str], split: str, directions: dict[str, "Direction"]
) -> None:
    """Refuse what cannot be compared: not reported, by some training alone, or of no direction."""
    from difflib import get_close_matches

    reports = contender.by_trial(split)
    known = {
        metric
        for report in reports.values()
        for metric in report
        if {metric, metric.partition("/")[0]} & directions.keys()
    }
    if not known:
        raise UsageError(
            f"{contender.name} reports no metric of known direction on --split {split}"
        )
    for metric in metrics:
        if metric not in known:
            near = get_close_matches(metric, known, 3) or sorted(m for m in known if "/" not in m)
            rule = f"a metric of known direction that {contender.name} reports"
            raise UsageError(f"--metric must be {rule}, such as {', '.join(near)}, got {metric!r}")
        lacking = [str(trial) for trial, report in reports.items() if metric not in report]
        if lacking:
            trials = f"{contender.record.name}/{', '.join(lacking)}"
            raise UsageError(f"{trials} reports no {metric!r} on --split {split}")


def _seeds(contender: "Contender") -> str:
    return ", ".join(str(trial.seed) for trial in contender.configuration.complete) or "none"
