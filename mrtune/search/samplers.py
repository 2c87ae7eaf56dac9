"""The rules that propose configurations."""

import warnings
from collections.abc import Callable

import numpy as np
from optuna.exceptions import ExperimentalWarning
from optuna.samplers import (
    BaseSampler,
    CmaEsSampler,
    GPSampler,
    NSGAIISampler,
    QMCSampler,
    RandomSampler,
)

from mrtune.errors import UsageError
from mrtune.search.thinned import ThinnedTPE

NEEDS = {"gp": ("scipy",), "cmaes": ("cmaes",), "qmc": ("scipy",)}
SINGLE = ("gp", "cmaes")  # know one objective only


def proposer(name: str, seed: int, trials: int | None, objectives: int) -> "Proposer":
    """Return what proposes configurations by a rule."""
    if objectives > 1 and name in SINGLE:
        raise UsageError(f"sampler {name!r} knows one objective, the search has {objectives}")
    for package in NEEDS.get(name, ()):
        _check_installed(name, package)
    return Proposer(name, seed, min(10, max(3, (trials or 40) // 4)))


class Proposer:
    """Makes a sampler for each proposal.

    What it proposes depends on the seed, on the number of the proposal, and on the results so far,
    not on how many processes made the proposals before: a resumed search goes on as it would have.
    """

    def __init__(self, name: str, seed: int, startup: int) -> None:
        self._name = name
        self._seed = seed
        self._startup = startup

    def sampler(self, number: int) -> BaseSampler:
        """Return the sampler of the proposal with this number."""
        fresh = int(np.random.SeedSequence((self._seed, number)).generate_state(1)[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExperimentalWarning)
            return _SAMPLERS[self._name](self._seed, fresh, self._startup)


# Of the seed, a seed of this proposal's own, and the number of proposals at random.
_SAMPLERS: dict[str, Callable[[int, int, int], BaseSampler]] = {
    "tpe": lambda _, fresh, startup: ThinnedTPE(
        fresh, n_startup_trials=startup, multivariate=True, group=True
    ),
    "gp": lambda _, fresh, startup: GPSampler(
        seed=fresh, n_startup_trials=startup, warn_independent_sampling=False
    ),
    "cmaes": lambda _, fresh, startup: CmaEsSampler(
        seed=fresh, n_startup_trials=startup, warn_independent_sampling=False
    ),
    # It counts its points in the study, and one seed makes one sequence.
    "qmc": lambda seed, _, __: QMCSampler(
        seed=seed,
        scramble=True,
        warn_asynchronous_seeding=False,
        warn_independent_sampling=False,
    ),
    "random": lambda _, fresh, __: RandomSampler(seed=fresh),
    "grid": lambda _, fresh, __: RandomSampler(seed=fresh),  # its points are queued, not drawn
    "nsga2": lambda _, fresh, startup: NSGAIISampler(seed=fresh, population_size=2 * startup),
}


def _check_installed(sampler: str, package: str) -> None:
    try:
        __import__(package)
    except ImportError:
        raise UsageError(
            f"sampler {sampler!r} needs {package}: pip install 'mrtune[samplers]'"
        ) from None
