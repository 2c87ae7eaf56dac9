"""What happens in a search, for whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "started",  # a trial begins, or goes on from a checkpoint
    "report",
    "complete",
    "pruned",
    "fail",
    "retry",  # a worker was lost; the trial goes on in another
    "requeued",  # a trial waits to be continued from its checkpoint, or to begin after all
    "adopted",  # trials of a process that died wait to be continued here
    "control",  # the user asks something of the search
]


@dataclass(frozen=True)
class Event:
    """Something that happened, to a trial or to the search."""

    kind: Kind
    trial: int | None = None
    about: dict[str, Any] = field(default_factory=dict)


Watch = Callable[[Event], None]
