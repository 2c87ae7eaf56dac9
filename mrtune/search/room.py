"""How many trials run at once, and what each of them gets."""

import os
from dataclasses import dataclass

import torch

from mrtune.errors import UsageError
from mrtune.search.job import SLICE
from mrtune.search.space import Resources

LOOKS = 50.0  # a second, of all trials, at which what Ray spends on them stays small


@dataclass(frozen=True)
class Room:
    """The share of one trial, and the number of trials."""

    cpus: float
    gpus: float
    memory: float | None  # GiB
    concurrency: int

    @property
    def threads(self) -> int:
        """Threads for torch in one trial, so that trials do not fight for cores."""
        return max(1, int(self.cpus))

    @property
    def slice(self) -> float:
        """Seconds of work after which a trial looks up: Ray bears only so many looks."""
        return max(SLICE, self.concurrency / LOOKS)

    def resources(self) -> dict[str, float]:
        """Return the share of one trial in Ray's words."""
        shares = {"cpu": self.cpus, "gpu": self.gpus, "memory": (self.memory or 0) * 2**30}
        return {name: share for name, share in shares.items() if share}


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gpus() -> int:
    """Count the GPUs that this process may use."""
    return torch.cuda.device_count()


def make_room(
    wanted: Resources, concurrency: int | None, cpus: float, cards: float, share_cpus: bool
) -> Room:
    """Divide CPUs and GPUs among trials.

    With `share_cpus`, a given concurrency divides all cores, unless a trial wants more.
    """
    share = wanted.cpus
    if share_cpus and concurrency is not None:
        share = max(share, float(int(cpus // concurrency) or 1))
    if wanted.gpus > cards:
        raise UsageError(f"a trial wants {wanted.gpus:g} GPUs, there are {cards:g}")
    if share > cpus and concurrency is None:
        raise UsageError(f"a trial wants {share:g} CPUs, there are {cpus:g}")
    fits = int(cpus / share + 1e-9)
    if wanted.gpus:
        fits = min(fits, int(cards / wanted.gpus + 1e-9))
    return Room(share, wanted.gpus, wanted.memory, concurrency or max(1, fits))
