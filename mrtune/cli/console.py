"""The terminal that commands draw on."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


@cache
def stdout() -> "Console":
    """The console for results."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


@cache
def stderr() -> "Console":
    """The console for progress, which must not mix with results."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Print one JSON object on one line."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Offer a function to be told (done, of all), which draws a bar on stderr, if a terminal.

    The bar comes with the first word of progress and goes when the work is done.
    """
    from rich.progress import Progress

    with Progress(console=stderr(), transient=True, disable=not stderr().is_terminal) as drawn:

        def progress(done: int, total: int) -> None:
            task = drawn.task_ids[0] if drawn.task_ids else drawn.add_task(what)
            drawn.update(task, completed=done, total=total)

        yield progress
