"""The data sets that mrtune knows: how to find each, and what to tell who has not got it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mrtune.data import celeba, cityscapes, fashion, nyuv2, roots
from mrtune.data.prepared import Prepared
from mrtune.data.source import Source


@dataclass(frozen=True)
class DataSet:
    """A data set, where to get it and how to lay it out."""

    name: str
    what: str
    get: str
    layout: str
    source: Callable[[str | Path | None], Source]
    open: Callable[..., Prepared]


SETS = {
    each.name: each
    for each in (
        DataSet(
            "fashion",
            "Fashion-MNIST, 28×28, 26 attributes in 8 groups",
            "4,000 images ship with mrtune. All 70,000: apt-get install dataset-fashion-mnist, "
            "then --root /usr/share/datasets/fashion-mnist",
            "train-images-idx3-ubyte.gz\ntrain-labels-idx1-ubyte.gz\n"
            "t10k-images-idx3-ubyte.gz\nt10k-labels-idx1-ubyte.gz",
            fashion.source,
            fashion.open_fashion,
        ),
        DataSet(
            "celeba",
            "Celeb-A, faces resized to 64×64, 40 attributes in the paper's 8 groups",
            "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html "
            "(Align&Cropped Images, Attributes Annotations, Train/Val/Test Partitions)",
            "img_align_celeba/000001.jpg …   or img_align_celeba.zip as it comes\n"
            "list_attr_celeba.txt\nlist_eval_partition.txt",
            celeba.source,
            celeba.open_celeba,
        ),
        DataSet(
            "cityscapes",
            "Cityscapes, 128×256, 7 classes and inverse depth",
            "https://github.com/lorenmt/mtan (preprocessed), or leftImg8bit, gtFine and disparity "
            "from https://www.cityscapes-dataset.com and `mrtune data convert cityscapes`",
            "{train,val}/image/0.npy …     float32 [128, 256, 3], 0 to 1\n"
            "{train,val}/label_7/0.npy …   0 to 6, -1 void (or label/)\n"
            "{train,val}/depth/0.npy …     inverse depth, 0 unknown",
            cityscapes.source,
            cityscapes.open_cityscapes,
        ),
        DataSet(
            "nyuv2",
            "NYUv2, 288×384, 13 classes, depth and surface normals",
            "https://github.com/lorenmt/mtan (preprocessed)",
            "{train,val}/image/0.npy …     float32 [288, 384, 3], 0 to 1\n"
            "{train,val}/label/0.npy …     0 to 12, -1 void\n"
            "{train,val}/depth/0.npy …     metres, 0 unknown\n"
            "{train,val}/normal/0.npy …    unit vectors, 0 unknown",
            nyuv2.source,
            nyuv2.open_nyuv2,
        ),
    )
}


def whereabouts(name: str) -> str | None:
    """Say where the data of a workload is; None if it should be on disk and was not found."""
    if name not in SETS:
        return "known to its trainer alone"
    if name not in roots.MARKERS:
        return "ships with mrtune"
    folder = roots.find(name)
    return str(folder) if folder else None
