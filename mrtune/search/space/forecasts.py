"""The roaming of a configuration, foretold: its plan, on the layers of its network."""

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from mrtune.config import pick
from mrtune.errors import DataError, MrtuneError
from mrtune.methods import METHODS
from mrtune.methods.max_roaming import MaxRoaming
from mrtune.methods.sharing import ratio
from mrtune.nn import PartitionedNetwork
from mrtune.roaming.forecast import Forecast, forecast
from mrtune.search.space.space import Space
from mrtune.search.space.typical import ROAMING
from mrtune.training import Recipe, Training
from mrtune.training.resolve import build_trainer, load_trainer, trainer_names, with_defaults

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
    method = roaming_of(settings)
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


def roaming_of(settings: Mapping[str, Any]) -> MaxRoaming | None:
    """Return the method with its parameters, if it is the one that roams."""
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
