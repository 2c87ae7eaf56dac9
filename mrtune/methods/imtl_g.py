"""IMTL-G (Liu et al., 2021)."""

from typing import TYPE_CHECKING, Any, ClassVar

from mrtune.methods.gramian import GradientWeighted
from mrtune.methods.torchjd_extra import needs_torchjd

if TYPE_CHECKING:
    from torchjd.aggregation import Weighting


class IMTLG(GradientWeighted):
    """IMTL-G: the update projects alike on each task's gradient."""

    name: ClassVar[str] = "imtl-g"

    def weighting(self) -> "Weighting[Any]":
        """Return TorchJD's rule."""
        with needs_torchjd():
            from torchjd.aggregation import IMTLGWeighting
        return IMTLGWeighting()
