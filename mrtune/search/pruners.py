"""The rules that stop hopeless trials."""

import warnings
from collections.abc import Callable

from optuna.exceptions import ExperimentalWarning
from optuna.pruners import BasePruner, HyperbandPruner, MedianPruner, NopPruner, WilcoxonPruner

from mrtune.errors import UsageError

# Of the grace and the budget, both in reports, and the reduction.
_PRUNERS: dict[str, Callable[[int, int, int], BasePruner]] = {
    "hyperband": HyperbandPruner,
    "median": lambda grace, *_: MedianPruner(n_startup_trials=4, n_warmup_steps=grace - 1),
    "wilcoxon": lambda grace, *_: WilcoxonPruner(n_startup_steps=grace),
    "asha": lambda *_: NopPruner(),  # ours: see halving
    "none": lambda *_: NopPruner(),
}


def pruner(name: str, grace: int, budget: int, reduction: int) -> BasePruner:
    """Return Optuna's pruner of a name; those that Optuna does not make never prune."""
    if name == "wilcoxon":
        try:
            __import__("scipy")
        except ImportError:
            raise UsageError(
                "pruner 'wilcoxon' needs scipy: pip install 'mrtune[samplers]'"
            ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        return _PRUNERS[name](max(1, grace), max(1, budget), reduction)
