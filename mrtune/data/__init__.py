"""Data sets on disk, decoded once, as arrays that all processes of a machine share."""

from mrtune.data.celeba import CELEBA_ATTRIBUTES, CELEBA_GROUPS, open_celeba
from mrtune.data.cityscapes import CITYSCAPES_CLASSES, open_cityscapes
from mrtune.data.fashion import FASHION_ATTRIBUTES, FASHION_GROUPS, open_fashion
from mrtune.data.nyuv2 import NYUV2_CLASSES, open_nyuv2
from mrtune.data.prepared import Prepared

__all__ = [
    "CELEBA_ATTRIBUTES",
    "CELEBA_GROUPS",
    "CITYSCAPES_CLASSES",
    "FASHION_ATTRIBUTES",
    "FASHION_GROUPS",
    "NYUV2_CLASSES",
    "Prepared",
    "open_celeba",
    "open_cityscapes",
    "open_fashion",
    "open_nyuv2",
]
