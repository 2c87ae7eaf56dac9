"""Ways to train T tasks in one network, one file each."""

from mrtune.methods.aligned_mtl import AlignedMTL
from mrtune.methods.cagrad import CAGrad
from mrtune.methods.dwa import DWA
from mrtune.methods.fairgrad import FairGrad
from mrtune.methods.famo import FAMO
from mrtune.methods.gradnorm import GradNorm
from mrtune.methods.imtl_g import IMTLG
from mrtune.methods.learner import Criterion, Learner, Stepper
from mrtune.methods.max_roaming import MaxRoaming
from mrtune.methods.method import Method
from mrtune.methods.mgda_ub import MGDAUB
from mrtune.methods.model import MultiTaskModel
from mrtune.methods.mtl import MTL
from mrtune.methods.parameters import relative_parameters, trainable_parameters
from mrtune.methods.pcgrad import PCGrad
from mrtune.methods.se_mtl import SEMTL
from mrtune.methods.setup import Setup
from mrtune.methods.stl import STL
from mrtune.methods.task_routing import TaskRouting
from mrtune.methods.upgrad import UPGrad
from mrtune.methods.uw import UW

PAPER: tuple[type[Method], ...] = (MTL, STL, GradNorm, MGDAUB, SEMTL, TaskRouting, MaxRoaming)
BEYOND: tuple[type[Method], ...] = (
    UW,
    DWA,
    FAMO,
    PCGrad,
    CAGrad,
    FairGrad,
    AlignedMTL,
    IMTLG,
    UPGrad,
)
METHODS: dict[str, type[Method]] = {method.name: method for method in PAPER + BEYOND}

__all__ = [
    "BEYOND",
    "METHODS",
    "PAPER",
    "Criterion",
    "Learner",
    "Method",
    "MultiTaskModel",
    "Setup",
    "Stepper",
    "relative_parameters",
    "trainable_parameters",
]
