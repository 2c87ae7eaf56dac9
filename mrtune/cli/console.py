"""The terminal that commands draw on."""

import json
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
