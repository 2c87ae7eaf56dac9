"""Networks whose units are divided among tasks, and the two ways to execute them."""

from mrtune.nn.heads import DenseHead, LinearHead
from mrtune.nn.partitioned import PartitionedNetwork, partition
from mrtune.nn.precise import precise_norms
from mrtune.nn.resnet import resnet18
from mrtune.nn.run import Run
from mrtune.nn.segnet import segnet

__all__ = [
    "DenseHead",
    "LinearHead",
    "PartitionedNetwork",
    "Run",
    "partition",
    "precise_norms",
    "resnet18",
    "segnet",
]
