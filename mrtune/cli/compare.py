"""`mrtune compare`: is one configuration, method or study better than another, beyond chance?"""

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
    help="Compare by this, too. [default: the objectives of A]",
)
@split_option("held-out")
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
    from dashboards.parts.measure import prefix_of
    from mrtune.cli.contenders import difference
    from mrtune.cli.difference_text import print_difference
    from mrtune.metrics import DIRECTIONS

    contenders = [_contender(name, storage) for name in (one, other)]
    ours, theirs = contenders
    objectives: dict[str, Direction] = {o.metric: o.direction for o in ours.record.objectives}
    wanted = list(dict.fromkeys(metrics or objectives))
    prefix = prefix_of(split)
    for contender in contenders:
        _check_metrics(contender, wanted, prefix)
    if not ours.by_seed(prefix).keys() & theirs.by_seed(prefix).keys():
        raise UsageError(
            f"A and B must have seeds in common, got {_seeds(ours)} of {one} and "
            f"{_seeds(theirs)} of {other}"
        )
    found = difference(ours, theirs, wanted, {**DIRECTIONS, **objectives}, test, prefix)
    if as_json:
        console.print_json(found.to_dict())
    else:
        print_difference(contenders, found, test)


def _contender(name: str, storage: str) -> "Contender":
    from mrtune.cli.contenders import contender

    study, _, part = name.rpartition("/")
    return contender(name, read(storage, study or name), part if study else None)


def _check_metrics(contender: "Contender", metrics: list[str], prefix: str) -> None:
    from difflib import get_close_matches

    reported = {m.removeprefix(prefix) for m in contender.metrics if m.startswith(prefix)}
    for metric in metrics:
        if metric not in reported:
            near = get_close_matches(metric, reported, 3) or sorted(
                m for m in reported if "/" not in m
            )
            rule = f"a metric that {contender.name} reports, such as {', '.join(near)}"
            raise UsageError(f"--metric must be {rule}, got {metric!r}")


def _seeds(contender: "Contender") -> str:
    return ", ".join(str(trial.seed) for trial in contender.configuration.complete) or "none"
