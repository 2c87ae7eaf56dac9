"""Whether the gain of a winner survives seeds that its search has not seen."""

from typing import TYPE_CHECKING

from mrtune.cli import console
from mrtune.cli.options import opened
from mrtune.cli.submit import hand_over, is_job_server
from mrtune.errors import TrialsFailed, UsageError
from mrtune.wording import signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mrtune.cli.contenders import Contender, Difference
    from mrtune.metrics import Direction
    from mrtune.study import StudyRecord


def confirm(
    name: str,
    storage: str,
    seeds: int,
    address: str | None,
    concurrency: int | None,
    as_json: bool,
) -> None:
    """Train the best configuration and the default one anew, compare them, and say what holds."""
    from dashboards.parts.measure import HELD_OUT, VAL
    from mrtune.cli import search_run
    from mrtune.cli.contenders import Contender, difference
    from mrtune.cli.difference_text import print_difference, print_sides
    from mrtune.metrics import DIRECTIONS
    from mrtune.search.confirmation import (
        DEFAULT,
        WINNER,
        begun_before,
        confirmation_of,
        name_of,
    )
    from mrtune.search.studies import reopen
    from mrtune.study import read_study

    with opened(storage) as database:
        searched = reopen(database, name)
        record = read_study(searched.study)
        if is_job_server(address):
            hand_over(str(address), name, storage, None, record.workload, None, {})
        search_run.check_submitter()
        failed: TrialsFailed | None = None
        made = begun_before(searched, record, seeds)
        if made is None or not read_study(made.study).done:
            wanted, runs = searched.space.resources, searched.settings.runs
            with search_run.ray_room(
                name_of(record),
                record.workload,
                wanted,
                runs,
                address,
                concurrency,
                True,
                as_json,
            ) as room:
                made = confirmation_of(searched, record, seeds)
                try:
                    search_run.run(made, storage, room, None, as_json, False)
                except TrialsFailed as error:  # the others can be compared
                    failed = error
        confirmed = read_study(made.study)
        if not confirmed.done:
            raise UsageError(f"{confirmed.name} is not finished; the same command goes on with it")
    sides = {configuration.number: configuration for configuration in confirmed.configurations}
    winner = Contender("the best", confirmed, sides[WINNER])
    default = Contender("the default", confirmed, sides[DEFAULT])
    if not winner.by_seed(HELD_OUT).keys() & default.by_seed(HELD_OUT).keys():
        rule = f"{confirmed.name} has no seed that both were trained with to the end"
        raise failed or UsageError(rule)
    objective = confirmed.objectives[0]
    directions: dict[str, Direction] = {**DIRECTIONS, objective.metric: objective.direction}
    # Fresh seeds do away with the luck of seeds; the validation split also with that of images.
    unseen = _reported((winner, default), objective.metric, VAL)
    found = {
        split: difference(winner, default, [objective.metric], directions, "t", split)
        for split in ((VAL, HELD_OUT) if unseen else (HELD_OUT,))
    }
    if as_json:
        told = [of_split.to_dict() for of_split in found.values()]
        console.print_json({"study": confirmed.name, "splits": told})
    else:
        console.stdout().print()
        print_sides((winner, default))
        for of_split in found.values():
            print_difference(of_split, "t")
        console.stdout().print()
        console.stdout().print(_verdict(record, found), highlight=False, soft_wrap=True)
    if failed is not None:
        raise failed


def _reported(contenders: "Sequence[Contender]", metric: str, split: str) -> bool:
    """Whether every training has a metric on a split."""
    reports = [report for c in contenders for report in c.by_trial(split).values()]
    return all(metric in report for report in reports)


def _verdict(searched: "StudyRecord", found: "Mapping[str, Difference]") -> str:
    """Say what holds on the first of the splits; the last is what the search looked at."""
    from dashboards.parts.measure import HELD_OUT, SPLITS
    from mrtune.cli.difference_text import is_certain

    judged = next(iter(found))
    row = found[judged].rows[0]
    gained = row.paired.difference > 0
    if gained and is_certain(row):
        verdict = "The gain survives fresh seeds"
    elif is_certain(row):
        verdict = "The gain does not survive fresh seeds: the default is better"
    else:
        verdict = "The gain is not beyond chance on fresh seeds"
    text = f"{verdict}: {signed(row.difference)} on the {SPLITS[judged]}"
    if judged != HELD_OUT:
        again = found[HELD_OUT].rows[0].difference
        text += f", {signed(again)} on the {SPLITS[HELD_OUT]}"
    best, default = searched.best, searched.default
    if best is None or default is None or best.mean() is None or default.mean() is None:
        return f"{text}."
    claimed = (best.mean() or 0.0) - (default.mean() or 0.0)
    return f"{text}, where the search had {signed(claimed)}."
