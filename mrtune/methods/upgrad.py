"""UPGrad (Quinton and Rey, 2024)."""

from typing import TYPE_CHECKING, Any, ClassVar

from mrtune.methods.gramian import GradientWeighted
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class UPGrad(GradientWeighted):
    """UPGrad: the average of the gradients, each projected to conflict with no other."""

    name: ClassVar[str] = "upgrad"

    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""
        with needs_torchjd():
            from torchjd.aggregation import UPGradWeighting
        return UPGradWeighting()
