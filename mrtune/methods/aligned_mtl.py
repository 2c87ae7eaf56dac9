"""Aligned-MTL (Senushkin et al., 2023)."""

from typing import TYPE_CHECKING, Any, ClassVar

from mrtune.methods.gramian import GradientWeighted
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class AlignedMTL(GradientWeighted):
    """Aligned-MTL: the principal components of the gradients are given one length."""

    name: ClassVar[str] = "aligned"

    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""
        with needs_torchjd():
            from torchjd.aggregation import AlignedMTLWeighting
        return AlignedMTLWeighting()
