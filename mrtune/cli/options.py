"""Options that several commands share."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mrtune.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from mrtune.study import Storage, StudyRecord, TrialRecord

F = TypeVar("F", bound=Callable[..., Any])
STORAGE = "sqlite:///mrtune.db"
SEED = click.IntRange(0, 2**32 - 1)
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


class Duration(click.ParamType[float]):
    """A time: 90, 90s, 30m, 2h, 1h30m."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return seconds."""
        if isinstance(value, int | float):
            return float(value)
        parts = re.findall(r"(\d+(?:\.\d+)?)([smhd]?)", value)
        seconds = sum(float(number) * UNITS[unit] for number, unit in parts)
        if "".join(number + unit for number, unit in parts) != value or seconds <= 0:
            self.fail(f"must be a time such as 90s, 30m or 1h30m, got {value!r}", param, ctx)
        return seconds


def storage_option(command: F) -> F:
    """Add --storage."""
    return click.option(
        "--storage",
        metavar="URL",
        envvar="MRTUNE_STORAGE",
        default=STORAGE,
        show_default=True,
        show_envvar=True,
        help="Database of the studies: a URL, or the path of an SQLite file.",
    )(command)


def address_option(command: F) -> F:
    """Add --address."""
    return click.option(
        "--address",
        metavar="auto|HOST:PORT|URL",
        help="Ray cluster to search on; a URL (http://HEAD:8265) takes the search as a job of its "
        "own. [default: a Ray of its own, here]",
    )(command)


def runs_option(command: F) -> F:
    """Add --runs."""
    return click.option(
        "--runs",
        metavar="FOLDER|URI",
        default="mrtune_runs",
        show_default=True,
        help="Folder or object store (s3://…, gs://…) for checkpoints and logs; on a cluster, one "
        "that all machines share.",
    )(command)


def json_option(command: F) -> F:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")(command)


def split_option(default: str) -> Callable[[F], F]:
    """Add --split."""
    return click.option(
        "--split",
        type=click.Choice(["held-out", "val"]),
        default=default,
        show_default=True,
        help="Measure on the part of the training split that searches look at, or on the "
        "validation split.",
    )


def study_argument(metavar: str = "STUDY", required: bool = True) -> Callable[[F], F]:
    """Add the name of a study, which the shell completes."""
    return click.argument("name", metavar=metavar, required=required, shell_complete=complete_study)


def complete_study(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Name the studies of the storage that begin like this; a shell wants no errors."""
    url = ctx.params.get("storage") or STORAGE
    try:
        with opened(url) as storage:
            from mrtune.study import study_names

            return [name for name in study_names(storage) if name.startswith(incomplete)]
    except UsageError:
        return []


@contextmanager
def opened(url: str, create: bool = False) -> Iterator["Storage"]:
    """Open a storage for the length of the block."""
    from mrtune.study import close_storage, open_storage
    from mrtune.study.storage import reading

    storage = open_storage(url, create)
    try:
        with reading():
            yield storage
    finally:
        close_storage(storage)


@contextmanager
def writing(option: str, path: "Path") -> Iterator[None]:
    """Tell in one line which option names a file or a folder that cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{option} {path}: cannot be written: {error.strerror}") from None


def read(url: str, name: str) -> "StudyRecord":
    """Read a study."""
    from mrtune.study import load_study, read_study

    with opened(url) as storage:
        return read_study(load_study(storage, name))


def newest(database: "Storage", url: str) -> list[str]:
    """Name the newest study of a storage, in a list of its own."""
    from mrtune.study import shown_url, study_names

    names = study_names(database)
    if not names:
        raise UsageError(f"no study in {shown_url(url)}")
    return names[-1:]


def split_trial(name: str) -> tuple[str, int | None]:
    """Split STUDY/TRIAL."""
    study, slash, number = name.rpartition("/")
    if not slash:
        return name, None
    if not number.isdecimal():
        raise UsageError(f"a trial must be named STUDY/NUMBER, got {name!r}")
    return study, int(number)


def trial_of(record: "StudyRecord", number: int) -> "TrialRecord":
    """Return a trial of a study by its number."""
    if number >= len(record.trials):
        count = len(record.trials)
        raise UsageError(f"{record.name} has no trial {number}: it has {count}, from 0 on")
    return record.trials[number]
