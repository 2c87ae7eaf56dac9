"""Losses that skip what has no label."""

import torch
from torch import Tensor
from torch.nn import functional as F


def labelled_mean(loss: Tensor, labelled: Tensor) -> Tensor:
    """Average a loss over its labelled entries; nothing labelled is a loss of zero."""
    return torch.where(labelled, loss, 0).sum() / labelled.sum().clamp(min=1)


def binary_cross_entropy(logits: Tensor, target: Tensor) -> Tensor:
    """Binary cross-entropy over the entries whose target is not NaN."""
    labelled = ~target.isnan()
    safe = torch.where(labelled, target, 0)
    return labelled_mean(
        F.binary_cross_entropy_with_logits(logits, safe, reduction="none"), labelled
    )


def normal_misalignment(output: Tensor, target: Tensor) -> Tensor:
    """One minus the cosine of predicted and true normals [image, 3, …], where these are known."""
    known = (target != 0).any(dim=1)
    return labelled_mean(1 - F.cosine_similarity(output, target, dim=1), known)


def absolute_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean absolute error over the entries whose target is not NaN."""
    labelled = ~target.isnan()
    return labelled_mean((output - torch.where(labelled, target, 0)).abs(), labelled)
