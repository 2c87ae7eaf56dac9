"""FairGrad (Ban and Ji, 2024)."""

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from mrtune.methods.gramian import GradientWeighted
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class FairGrad(GradientWeighted):
    """FairGrad: weights that are α-fair in what each task gains."""

    name: ClassVar[str] = "fairgrad"

    alpha: float = Field(1.0, ge=0, description="how fair; 1 is proportional, as Nash-MTL")

    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""
        with needs_torchjd():
            from torchjd.aggregation import FairGradWeighting
        return FairGradWeighting(alpha=self.alpha)
