"""Partitions that roam: who holds which unit of a layer, and how that changes while training."""

from mrtune.roaming.measures import (
    coverage,
    expected_visited_share,
    orphans,
    overlap,
    visited_share,
)
from mrtune.roaming.origin import Origin
from mrtune.roaming.partition import INITS, initial_partition, row_size
from mrtune.roaming.plan import Plan
from mrtune.roaming.roamer import LayerState, Roamer
from mrtune.roaming.selection import SELECTIONS, Preference, Selection, cosine, uniform
from mrtune.roaming.swap import Swap, swap

__all__ = [
    "INITS",
    "SELECTIONS",
    "LayerState",
    "Origin",
    "Plan",
    "Preference",
    "Roamer",
    "Selection",
    "Swap",
    "cosine",
    "coverage",
    "expected_visited_share",
    "initial_partition",
    "orphans",
    "overlap",
    "row_size",
    "swap",
    "uniform",
    "visited_share",
]
