"""What is known of roaming before a trial starts: when it ends, and how far it gets."""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from mrtune.config import pick
from mrtune.errors import DataError, MrtuneError
from mrtune.methods import METHODS
from mrtune.methods.max_roaming import MaxRoaming
from mrtune.methods.sharing import ByDepth, ratio
from mrtune.nn import PartitionedNetwork
from mrtune.roaming.forecast import Forecast, forecast
from mrtune.search.space.space import Space
from mrtune.search.space.typical import ROAMING, slowest, typical
from mrtune.training import Recipe, Training
from mrtune.training.resolve import build_trainer, load_trainer, trainer_names, with_defaults

GRACE_SHARE = 0.75  # of the typical plan: a partition that has just begun to roam is behind
GRACE_LIMIT = 0.5  # of the budget: later, stopping a trial saves little

# Keys that say how a network learns, not what it is.
LEARNING = {"method", *Recipe.model_fields}.union(*(m.model_fields for m in METHODS.values()))


class Unforeseen(MrtuneError):
    """The roaming of a trainer cannot be foretold."""


class Network(NamedTuple):
    """What a plan depends on besides the plan itself."""

    units: dict[str, int]
    tasks: int
    samples: int


def forecast_of(space: Space, config: Mapping[str, Any]) -> Forecast | None:
    """Foretell the roaming of a configuration over the budget; None where nothing roams.

    Raises `Unforeseen` where the data is absent or the trainer does not tell its layers.
    """
    settings = with_defaults(load_trainer(space.trainer), config)
    method = _roaming(settings)
    if method is None:
        return None
    network = _look(space.trainer, settings)
    return forecast(
        network.units,
        network.tasks,
        ratio(method.p, network.units),
        method.plan(math.ceil(network.samples / pick(Recipe, settings).batch_size)),
        space.budget.epochs,
    )


def _roaming(settings: Mapping[str, Any]) -> MaxRoaming | None:
    return pick(MaxRoaming, settings) if settings.get("method", ROAMING) == ROAMING else None


def _look(trainer: str, settings: dict[str, Any]) -> Network:
    """Look at the layers of a trainer: once for all configurations that leave them as they are."""
    if trainer in trainer_names():  # of ours we know what its network depends on
        settings = {key: value for key, value in settings.items() if key not in LEARNING}
        settings |= {"method": "mtl"}  # the quickest to build
    return _network(trainer, json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=32)
def _network(trainer: str, settings: str) -> Network:
    try:
        built = build_trainer(load_trainer(trainer), json.loads(settings), seed=0, device="cpu")
    except DataError as error:
        raise Unforeseen(str(error)) from error
    if not isinstance(built, Training):
        raise Unforeseen(f"{trainer} does not build a mrtune.training.Training")
    body = built.learner.model.body
    assert isinstance(body, PartitionedNetwork)  # it is what MTL and MR train
    return Network(body.units, len(built.workload.tasks), len(built.workload.splits["train"]))


def default_grace(space: Space) -> float:
    """Return the epochs before which no trial is stopped, where the file does not say.

    They are as many as the typical plan needs for GRACE_SHARE of its swaps, at most GRACE_LIMIT of
    the budget; where nothing roams, or nothing is known of it, those of the first of three rungs.
    """
    epochs = space.budget.epochs
    first_of_three = epochs / space.budget.reduction**2
    try:
        predicted = forecast_of(space, typical(space))
    except Unforeseen:
        predicted = None
    if predicted is None:
        return first_of_three
    return min(max(predicted.epoch_of(GRACE_SHARE), first_of_three), GRACE_LIMIT * epochs)


def plan_warnings(space: Space) -> list[str]:
    """Say with numbers which plans cannot finish within the budget: the slowest, the typical."""
    try:
        found = [_unfinished(space, config) for config in (slowest(space), typical(space))]
    except Unforeseen as reason:
        return [f"no forecast of roaming: {reason}"]
    return list(dict.fromkeys(warning for warning in found if warning))


def _unfinished(space: Space, config: Mapping[str, Any]) -> str | None:
    predicted = forecast_of(space, config)
    method = _roaming(with_defaults(load_trainer(space.trainer), config))
    if predicted is None or method is None or predicted.done == 1:
        return None
    plan, p = predicted.plan, method.p
    clock = f"finish_at={plan.finish_at:.3g}" if plan.finish_at else f"delta={plan.delta:.3g}"
    share = f"{p.shallow:.3g} to {p.deep:.3g}" if isinstance(p, ByDepth) else f"{p:.3g}"
    return (
        f"at {clock}, p={share}, r={plan.r:.3g}: roaming ends at epoch {predicted.end:.3g}, "
        f"budget {predicted.epochs:g}: {predicted.done:.0%} done"
    )
