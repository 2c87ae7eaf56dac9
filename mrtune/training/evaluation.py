"""Metrics of a model over a split."""

from collections.abc import Iterable

import torch
from torch import Tensor

from mrtune.methods import MultiTaskModel
from mrtune.training.workload import Metrics, Split


@torch.no_grad()
def evaluate(
    model: MultiTaskModel, split: Split, metrics: Metrics, batch_size: int, device: torch.device
) -> dict[str, float]:
    """Run a model over a whole split in evaluation mode."""
    was_training = model.training
    model.eval()
    for positions in torch.split(torch.arange(len(split)), batch_size):
        x, targets = split.batch(positions)
        metrics.update(model(x.to(device)), [target.to(device) for target in targets])
    model.train(was_training)
    return metrics.compute()


def observe(
    model: MultiTaskModel, split: Split, batches: Iterable[Tensor], device: torch.device
) -> None:
    """Run the body of a model over some batches, for the statistics that its norms see."""
    for positions in batches:
        run = model.shared(split.batch(positions)[0].to(device))
        for task in range(model.tasks):
            run.compact(task)
