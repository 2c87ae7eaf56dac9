"""Fashion-MNIST: 26 attributes in eight tasks; ships with mrtune, learns in a minute."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel, Field

from mrtune.config import pick
from mrtune.data import FASHION_ATTRIBUTES, FASHION_GROUPS, open_fashion
from mrtune.nn import resnet18
from mrtune.training import Training
from mrtune.training.attributes import AttributeWorkload

# Few batches make an epoch, and two of them tell the statistics of norms as well as eight.
DEFAULTS = {"method": "mr", "epochs": 8, "batch_size": 128, "lr": 3e-3, "norm_batches": 2}
METHOD_DEFAULTS = {"mr": {"p": 0.5, "finish_at": 5}, "tr": {"p": 0.5}}


class Options(BaseModel):
    """What can be told about the data and the network."""

    root: str | None = Field(None, description="folder of all 70,000 images; else 4,000 that ship")
    width: int = Field(16, ge=1, description="units of the first layer; the last has 8 times more")


def build(config: Mapping[str, Any], seed: int, device: str) -> Training:
    """A narrow ResNet-18, and a linear head for each group."""
    options = pick(Options, config)
    workload = AttributeWorkload(
        open_fashion(options.root),
        FASHION_ATTRIBUTES,
        FASHION_GROUPS,
        network=partial(resnet18, options.width),
        features=8 * options.width,
    )
    return Training(workload, config, seed, device, Options)
