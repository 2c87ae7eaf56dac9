"""The tables of the paper (Pascal et al., AAAI 2021), as it prints them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

from dashboards.parts.naming import METHODS


@dataclass(frozen=True)
class Value:
    """A mean and its std, and how the paper writes them."""

    text: str
    mean: float
    std: float


@dataclass(frozen=True)
class PaperRow:
    """A method of one table."""

    method: str
    label: str  # with the parameters that were best for it
    size: str  # #P, trainable parameters relative to MTL
    values: Mapping[str, Value]
    rank: str  # "-" for STL, which takes none


@dataclass(frozen=True)
class PaperTable:
    """One table: what its metrics are here, and how many of our units make one of its."""

    title: str
    seeds: int
    units: Mapping[str, float]  # our metric → factor
    rows: tuple[PaperRow, ...]


CELEBA = """
STL                | 7.9 | 67.10 ± 0.37 | 61.99 ± 0.49 | 64.07 ± 0.21 | -
MTL                | 1.0 | 68.67 ± 0.69 | 59.54 ± 0.52 | 62.95 ± 0.21 | 5.33
GradNorm (α = 0.5) | 1.0 | 70.36 ± 0.07 | 59.49 ± 0.58 | 63.55 ± 0.49 | 5.00
MGDA-UB            | 1.0 | 68.64 ± 0.12 | 60.21 ± 0.33 | 63.56 ± 0.27 | 4.66
SE-MTL             | 1.1 | 71.10 ± 0.28 | 62.64 ± 0.51 | 65.85 ± 0.17 | 2.33
TR (p = 0.9)       | 1.0 | 71.71 ± 0.06 | 61.75 ± 0.47 | 65.51 ± 0.32 | 2.33
MR (p = 0.8)       | 1.0 | 71.24 ± 0.35 | 63.04 ± 0.56 | 66.23 ± 0.20 | 1.33
"""
CITYSCAPES = """
STL                | 7.9 | 58.57 ± 0.49 | 97.46 ± 0.03 | 0.0141 ± 0.0002 | 22.59 ± 1.15 | -
MTL                | 1.0 | 56.57 ± 0.22 | 97.36 ± 0.02 | 0.0170 ± 0.0006 | 43.99 ± 5.53 | 3.75
GradNorm (α = 1.5) | 1.0 | 56.77 ± 0.08 | 97.37 ± 0.02 | 0.0199 ± 0.0004 | 68.13 ± 4.48 | 3.87
MGDA-UB            | 1.0 | 56.19 ± 0.24 | 97.33 ± 0.01 | 0.0130 ± 0.0001 | 25.09 ± 0.28 | 2.50
SE-MTL             | 1.1 | 55.45 ± 1.03 | 97.24 ± 0.10 | 0.0160 ± 0.0006 | 35.72 ± 1.62 | 4.87
TR (p = 0.6)       | 1.0 | 56.52 ± 0.41 | 97.24 ± 0.04 | 0.0155 ± 0.0003 | 31.47 ± 0.55 | 3.87
MR (p = 0.6)       | 1.0 | 57.93 ± 0.20 | 97.37 ± 0.02 | 0.0143 ± 0.0001 | 29.38 ± 1.66 | 1.62
"""
NYUV2 = """
STL          | 14.9 | 13.12 ± 1.06 | 94.58 ± 0.14 | 67.46 ± 2.64 | 28.79 ± 1.18 | 29.77 ± 0.22 | 23.93 ± 0.15 | -
MTL          | 1.0  | 15.98 ± 0.56 | 94.22 ± 0.25 | 60.95 ± 0.41 | 25.54 ± 0.07 | 32.43 ± 0.19 | 27.43 ± 0.35 | 3.7
GradNorm     | 1.0  | 16.13 ± 0.23 | 94.43 ± 0.07 | 76.26 ± 0.34 | 32.08 ± 0.50 | 34.45 ± 0.52 | 30.98 ± 0.80 | 4.5
MGDA-UB      | 1.0  | 2.96 ± 0.35  | 82.87 ± 0.23 | 186.9 ± 15.3 | 98.74 ± 5.34 | 46.96 ± 0.37 | 45.15 ± 0.70 | 6.0
SE-MTL       | 1.2  | 16.02 ± 0.12 | 94.56 ± 0.01 | 59.88 ± 1.12 | 26.30 ± 0.58 | 32.22 ± 0.02 | 26.12 ± 0.02 | 2.7
TR (p = 0.8) | 1.0  | 16.54 ± 0.02 | 94.58 ± 0.11 | 63.54 ± 0.85 | 27.86 ± 0.90 | 30.93 ± 0.19 | 25.51 ± 0.28 | 2.7
MR (p = 0.8) | 1.0  | 17.40 ± 0.31 | 94.86 ± 0.06 | 60.82 ± 0.23 | 27.50 ± 0.15 | 30.58 ± 0.04 | 24.67 ± 0.08 | 1.5
"""  # noqa: E501


def _table(title: str, seeds: int, units: Mapping[str, float], text: str) -> PaperTable:
    rows = tuple(_row(line, list(units)) for line in text.strip().splitlines())
    return PaperTable(title, seeds, units, rows)


def _row(line: str, metrics: list[str]) -> PaperRow:
    label, size, *values, rank = (part.strip() for part in line.split("|"))
    name = label.split(" (")[0]
    return PaperRow(
        method=next(method for method, known in METHODS.items() if known == name),
        label=label,
        size=size,
        values=dict(zip(metrics, map(_value, values), strict=True)),
        rank=rank,
    )


def _value(text: str) -> Value:
    mean, _, std = text.partition(" ± ")
    return Value(text, float(mean), float(std) if std else nan)


# Our metrics by their names in the paper.
NAMES: Mapping[str, str] = {
    "precision": "Precision",
    "recall": "Recall",
    "f_score": "F-Score",
    "miou": "mIoU",
    "pixel_accuracy": "Pix. Acc.",
    "depth_abs_error": "Abs. Err.",
    "depth_rel_error": "Rel. Err.",
    "normals_mean_angle": "Mean Err.",
    "normals_median_angle": "Med. Err.",
}

# Ours are shares where the paper has percent. Its absolute error of depth is as ours on Cityscapes,
# and a hundred times ours, which is in the unit of the data, on NYUv2.
PAPER: Mapping[str, PaperTable] = {
    "celeba": _table("Celeb-A", 5, {"precision": 100, "recall": 100, "f_score": 100}, CELEBA),
    "cityscapes": _table(
        "Cityscapes",
        3,
        {"miou": 100, "pixel_accuracy": 100, "depth_abs_error": 1, "depth_rel_error": 1},
        CITYSCAPES,
    ),
    "nyuv2": _table(
        "NYUv2",
        3,
        {
            "miou": 100,
            "pixel_accuracy": 100,
            "depth_abs_error": 100,
            "depth_rel_error": 1,
            "normals_mean_angle": 1,
            "normals_median_angle": 1,
        },
        NYUV2,
    ),
}
