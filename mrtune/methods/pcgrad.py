"""PCGrad (Yu et al., 2020)."""

from typing import TYPE_CHECKING, Any, ClassVar

from mrtune.methods.gramian import GradientWeighted
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class PCGrad(GradientWeighted):
    """PCGrad: each gradient is projected off those that it conflicts with."""

    name: ClassVar[str] = "pcgrad"

    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""
        with needs_torchjd():
            from torchjd.aggregation import PCGradWeighting
        return PCGradWeighting()
