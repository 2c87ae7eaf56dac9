"""Celeb-A: 40 attributes of faces in eight tasks, ResNet-18 (the paper's first table)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel, Field

from mrtune.config import pick
from mrtune.data import CELEBA_ATTRIBUTES, CELEBA_GROUPS, open_celeba
from mrtune.nn import resnet18
from mrtune.training import Training
from mrtune.training.attributes import AttributeWorkload

# The paper's appendix and its Celeb-A table.
DEFAULTS = {"method": "mr", "epochs": 40, "batch_size": 256, "lr": 1e-4}
METHOD_DEFAULTS = {"mr": {"p": 0.8, "delta": 0.1}, "tr": {"p": 0.9}, "gradnorm": {"alpha": 0.5}}


class Options(BaseModel):
    """What can be told about the data and the network."""

    root: str | None = Field(None, description="folder of the data set")
    strict: bool = Field(False, description="refuse a set with unreadable samples")
    size: int = Field(64, ge=8, description="side of the images")
    width: int = Field(64, ge=1, description="units of the first layer; the last has 8 times more")


def build(config: Mapping[str, Any], seed: int, device: str) -> Training:
    """A ResNet-18, truncated after the last average pooling, and a linear head for each group."""
    options = pick(Options, config)
    workload = AttributeWorkload(
        open_celeba(options.root, size=options.size, strict=options.strict),
        CELEBA_ATTRIBUTES,
        CELEBA_GROUPS,
        network=partial(resnet18, options.width),
        features=8 * options.width,
    )
    return Training(workload, config, seed, device, Options)
