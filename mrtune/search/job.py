"""What a worker is told to do, as plain data."""

from dataclasses import asdict, dataclass
from typing import Any

SLICE = 2.0  # seconds of work after which a worker looks up


@dataclass(frozen=True)
class Job:
    """One training of one configuration."""

    number: int
    workload: str  # the name of a trainer, or the path of its file
    setting: dict[str, Any]
    seed: int
    slot: str  # the place of its checkpoints and its log
    flags: str  # the place of the next
    drain: str  # a file that asks, by being there, for a checkpoint and the end of the attempt
    threads: int
    timeout: float | None  # seconds that an attempt may take
    gpu_memory: float | None = None  # GiB of its GPU that it may use
    slice: float = SLICE

    def to_dict(self) -> dict[str, Any]:
        """Return the job as a mapping."""
        return asdict(self)
