"""What a worker tells of a slice of its work, as plain data."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Self

Report = dict[str, float]


@dataclass(frozen=True)
class Failure:
    """Why a trial failed."""

    reason: str
    traceback: str = ""


@dataclass(frozen=True)
class Outcome:
    """News of a trial; at most one of `finished`, `failure`, `drained` and `stuck` is set."""

    reports: list[Report] = field(default_factory=list)
    first: int = 0  # the number of the first of these reports, from 0 on
    finished: Report | None = None  # metrics of splits that are looked at only at the end
    failure: Failure | None = None
    drained: bool = False  # a checkpoint was written, as asked, and the attempt is over
    stuck: str | None = None  # why nothing more can be saved
    place: dict[str, Any] | None = None  # where it runs, said once
    data: str | None = None  # the fingerprint of the data, said once
    network: dict[str, Any] | None = None  # its size and its roaming, said once
    seconds: float = 0.0  # of work in this slice

    def to_json(self) -> str:
        """Return the outcome as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned."""
        content = json.loads(text)
        failure = content.pop("failure")
        return cls(**content, failure=failure and Failure(**failure))
