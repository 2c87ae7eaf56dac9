"""CAGrad (Liu et al., 2021)."""

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from mrtune.methods.gramian import GradientWeighted
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class CAGrad(GradientWeighted):
    """CAGrad: the update near the average gradient that helps the worst task most."""

    name: ClassVar[str] = "cagrad"

    c: float = Field(0.4, ge=0, description="radius around the average gradient")

    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""
        with needs_torchjd():
            from torchjd.aggregation import CAGradWeighting
        return CAGradWeighting(c=self.c)
