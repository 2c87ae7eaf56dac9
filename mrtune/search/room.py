"""How many trials run at once, and what each of them gets."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from mrtune.errors import UsageError
from mrtune.search.job import SLICE
from mrtune.search.space import Resources

LOOKS = 50.0  # a second, of all trials, at which what Ray spends on them stays small
DOUBT = 1e-3  # Ray counts in ten-thousandths


@dataclass(frozen=True)
class Machine:
    """What a machine has for trials."""

    cpus: float
    gpus: float = 0.0
    memory: float = math.inf  # GiB

    @property
    def has(self) -> dict[str, float]:
        """Return all of it, by the words that are used for it."""
        return {"CPUs": self.cpus, "GPUs": self.gpus, "GiB of memory": self.memory}

    def holds(self, wanted: Resources) -> int:
        """Count the trials that fit at once."""
        return int(min(_times(share, self.has[what]) for what, share in _shares(wanted).items()))


@dataclass(frozen=True)
class Room:
    """The share of one trial, and the number of trials."""

    cpus: float
    gpus: float
    memory: float | None  # GiB
    concurrency: int
    lack: str | None = None  # what no machine has for a trial, of those there are now

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


def room_here(wanted: Resources, concurrency: int | None, here: Machine, share_cpus: bool) -> Room:
    """Divide this machine among trials; more of them than it has cores take turns.

    With `share_cpus`, a given concurrency divides all cores, unless a trial wants more.
    """
    if concurrency is not None:
        share = wanted.cpus
        if share_cpus:
            share = max(share, float(int(here.cpus // concurrency) or 1))
        wanted = wanted.model_copy(update={"cpus": share})
        here = replace(here, cpus=share * concurrency)
    return room_on([here], wanted, concurrency)


def room_on(
    machines: Sequence[Machine],
    wanted: Resources,
    concurrency: int | None,
    growing: bool = False,
) -> Room:
    """Divide machines among trials, each of which fits one; on a cluster that grows, some day."""
    fits = sum(machine.holds(wanted) for machine in machines)
    lack = None if fits else _lack(wanted, machines)
    if lack is not None and not (growing and concurrency is not None):
        raise UsageError(lack)
    return Room(wanted.cpus, wanted.gpus, wanted.memory, concurrency or fits, lack)


def _shares(wanted: Resources) -> dict[str, float]:
    shares = {"CPUs": wanted.cpus, "GPUs": wanted.gpus, "GiB of memory": wanted.memory or 0.0}
    return {what: share for what, share in shares.items() if share}


def _lack(wanted: Resources, machines: Sequence[Machine]) -> str:
    """Say what of a trial's share no machine has."""
    shares = _shares(wanted)
    for what, share in shares.items():
        most = max((machine.has[what] for machine in machines), default=0.0)
        if not _times(share, most):
            there = "there are" if len(machines) == 1 else "no machine has more than"
            return f"a trial wants {share:g} {what}, {there} {most:.3g}"
    told = " and ".join(f"{share:g} {what}" for what, share in shares.items())
    return f"a trial wants {told}, no machine has it all"


def _times(share: float, whole: float) -> float:
    """Count how often a share goes into a whole."""
    return math.inf if math.isinf(whole) else int(whole / share + DOUBT)
