"""The loop: everything between a configuration and its metrics."""

from mrtune.training.recipe import Recipe
from mrtune.training.trainer import Trainer
from mrtune.training.training import Training
from mrtune.training.workload import Metrics, Samples, Split, Task, Workload

__all__ = ["Metrics", "Recipe", "Samples", "Split", "Task", "Trainer", "Training", "Workload"]
