"""How a study is searched, fixed when it begins and kept with it."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What does not change when a search is resumed, on this machine or another."""

    trials: int | None  # configurations to try; None where only time limits them
    seed: int  # of the proposals, and of the first training of each configuration
    grace: float  # epochs before which nothing is pruned
    runs: str  # the place of the trials' places
    timeout: float | None = None  # seconds that an attempt at a trial may take
    retries: int = 2  # attempts after a worker was lost

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a mapping."""
        return asdict(self)
