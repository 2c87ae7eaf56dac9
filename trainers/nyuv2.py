"""NYUv2: 13 classes of rooms, depth and surface normals, SegNet (the paper's third table)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel, Field

from mrtune.config import pick
from mrtune.data import NYUV2_CLASSES, open_nyuv2
from mrtune.metrics.segmentation import Void
from mrtune.nn import segnet
from mrtune.training import Training
from mrtune.training.scenes import SceneWorkload

# The paper's appendix and its NYUv2 table.
DEFAULTS = {"method": "mr", "epochs": 100, "batch_size": 2, "lr": 1e-4}
METHOD_DEFAULTS = {"mr": {"p": 0.8, "delta": 0.1}, "tr": {"p": 0.8}}


class Options(BaseModel):
    """What can be told about the data and the network."""

    root: str | None = Field(None, description="folder of the data set")
    strict: bool = Field(False, description="refuse a set with unreadable samples")
    shrink: int = Field(1, ge=1, description="take every n-th pixel: 4 makes 288×384 into 72×96")
    width: int = Field(
        64, ge=1, description="units of the first layer; the widest has 8 times more"
    )
    void: Void = Field("ignore", description="void pixels: ignore, or negative as the authors did")


def build(config: Mapping[str, Any], seed: int, device: str) -> Training:
    """A SegNet, split after its last convolution, and a head of two convolutions for each task."""
    options = pick(Options, config)
    workload = SceneWorkload(
        open_nyuv2(options.root, strict=options.strict),
        NYUV2_CLASSES,
        network=partial(segnet, options.width),
        width=options.width,
        shrink=options.shrink,
        void=options.void,
    )
    return Training(workload, config, seed, device, Options)
