"""How good a model is on a split, and how methods compare over metrics and seeds."""

from mrtune.metrics.accumulator import Accumulator, Combined
from mrtune.metrics.attributes import AttributeMetrics
from mrtune.metrics.compare import Comparison, Results, Summary, compare, summaries, summarise
from mrtune.metrics.depth import DepthMetrics
from mrtune.metrics.directions import DIRECTIONS, Direction, sign
from mrtune.metrics.holm import holm
from mrtune.metrics.improvement import delta_m
from mrtune.metrics.normals import NormalMetrics
from mrtune.metrics.paired import TESTS, Paired, paired
from mrtune.metrics.ranks import Scores, average_rank
from mrtune.metrics.segmentation import SegmentationMetrics

__all__ = [
    "DIRECTIONS",
    "TESTS",
    "Accumulator",
    "AttributeMetrics",
    "Combined",
    "Comparison",
    "DepthMetrics",
    "Direction",
    "NormalMetrics",
    "Paired",
    "Results",
    "Scores",
    "SegmentationMetrics",
    "Summary",
    "average_rank",
    "compare",
    "delta_m",
    "holm",
    "paired",
    "sign",
    "summaries",
    "summarise",
]
