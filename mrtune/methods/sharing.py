"""p: the share of a layer's units that a task holds, the same everywhere or changing with depth."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from mrtune.roaming.ratios import Ratio, ratios_by_depth

Share = Annotated[float, Field(ge=0, le=1)]


class ByDepth(BaseModel):
    """A share that changes linearly from the first layer to the last, in order of execution."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shallow: Share = Field(description="share at the first layer")
    deep: Share = Field(description="share at the last layer")


def _kind(value: Any) -> str:
    return "<depth>" if isinstance(value, Mapping | ByDepth) else "<number>"


Sharing = Annotated[
    Annotated[Share, Tag("<number>")] | Annotated[ByDepth, Tag("<depth>")], Discriminator(_kind)
]
SHARING = "share of every layer's units that a task holds, or {shallow: …, deep: …}"


def ratio(p: float | ByDepth, layers: Collection[str]) -> Ratio:
    """Return the sharing ratio as the roaming core takes it."""
    return ratios_by_depth(layers, p.shallow, p.deep) if isinstance(p, ByDepth) else p
