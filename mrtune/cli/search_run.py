"""Runs a search for `mrtune search` and `mrtune resume`, and says at the end what came of it."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from mrtune.cli import console, search_view, study_text
from mrtune.cli.options import STORAGE
from mrtune.errors import EXIT_INTERRUPTED, TrialsFailed

if TYPE_CHECKING:
    from mrtune.search.room import Room
    from mrtune.search.space import Resources
    from mrtune.search.studies import OpenStudy
    from mrtune.study import StudyRecord


@contextmanager
def ray_room(
    name: str,
    trainer: str,
    wanted: "Resources",
    runs: str,
    address: str | None,
    concurrency: int | None,
    share_cpus: bool,
    silent: bool,
) -> Iterator["Room"]:
    """Find room for the trials of a study; where there is none, nothing is written."""
    from mrtune.search.session import ray_session
    from mrtune.search.survey import check_shared

    if not silent:
        console.stdout().print(f"[bold]{name}[/]: starting Ray …")
    with ray_session(address, trainer, wanted, concurrency, share_cpus) as room:
        if room.lack is not None:
            text = f"warning: {room.lack}: trials wait for a machine that has it"
            console.stderr().print(text, soft_wrap=True, markup=False)
        check_shared(runs)
        if not silent:
            threads = f"{room.threads} thread{'s' * (room.threads > 1)} each"
            console.stdout().print(f"{room.concurrency} trials at a time, {threads}")
        yield room


def run(
    opened: "OpenStudy",
    storage: str,
    room: "Room",
    time_budget: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Search with a view on it; the exit code says how it ended."""
    from mrtune.search.run import run_search
    from mrtune.study import read_study

    study = opened.study
    with search_view.view(lambda: read_study(study), as_json, quiet) as watch:
        interrupted = run_search(opened, room, watch, time_budget)
    record = read_study(study)
    if as_json:
        _print_json(record, interrupted)
    else:
        _print_result(record, storage)
    if interrupted:
        click.get_current_context().exit(EXIT_INTERRUPTED)
    if record.counts["fail"]:
        raise TrialsFailed(_failures(record))


def check_submitter() -> None:
    """In a job, refuse a submitter with another mrtune, and warn of what else differs."""
    from mrtune.search.provenance import check_submitter

    for difference in check_submitter():
        console.stderr().print(f"warning: {difference}", soft_wrap=True, markup=False)


def option(storage: str) -> str:
    """Return the option that names a storage, where neither default nor environment does."""
    from mrtune.study import shown_url

    known = os.environ.get("MRTUNE_STORAGE") or STORAGE
    return "" if storage == known else f" --storage {shlex.quote(shown_url(storage))}"


def _print_json(record: "StudyRecord", interrupted: bool) -> None:
    best = record.best
    console.print_json(
        {
            "event": "end",
            "study": record.name,
            "state": "interrupted" if interrupted else record.state,
            "counts": record.counts,
            "best": best
            and {
                "trial": best.number,
                "values": [best.mean(i) for i in range(len(record.objectives))],
                "params": best.trials[0].params,
            },
        }
    )


def _print_result(record: "StudyRecord", storage: str) -> None:
    from mrtune.study import shown_url

    out = console.stdout()
    where = option(storage)
    out.print()
    out.print(study_text.summary(record), soft_wrap=True)
    out.print()
    if not record.done:
        out.print(
            f"{_waiting(record)}[bold]mrtune resume {record.name}{where}[/] continues it.",
            soft_wrap=True,
        )
    elif record.best is not None:
        name = record.name
        out.print(f"The study is {name!r} in {shown_url(storage)}; see also:", soft_wrap=True)
        out.print(f"  mrtune show {name}{where}                       every trial", soft_wrap=True)
        out.print(
            f"  mrtune best {name}{where} --export best.yaml    for mrtune train --config",
            soft_wrap=True,
        )


def _waiting(record: "StudyRecord") -> str:
    """Say how many trials go on later, and how many have not begun."""
    left = [trial for trial in record.trials if trial.state == "waiting"]
    begun = sum(trial.seconds > 0 for trial in left)
    counts = {"with their checkpoints": begun, "for a machine with room": len(left) - begun}
    return "".join(f"{n} of its trials wait {how}. " for how, n in counts.items() if n)


def _failures(record: "StudyRecord") -> str:
    failed = [trial for trial in record.trials if trial.state == "fail"]
    reasons: dict[str, list[int]] = {}
    for trial in failed:
        reason = (trial.failure or {}).get("reason", "unknown")
        reasons.setdefault(reason, []).append(trial.number)
    told = "; ".join(
        f"{reason} (trial{'s' * (len(which) > 1)} {', '.join(map(str, which[:5]))}"
        f"{', …' * (len(which) > 5)})"
        for reason, which in list(reasons.items())[:3]
    )
    return f"{len(failed)} of {len(record.trials)} trials failed: {told}"
