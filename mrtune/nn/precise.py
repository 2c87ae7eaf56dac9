"""Precise statistics: those of a network as it is now, not of the networks it has been."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import nn

from mrtune.nn.norm import TaskNorm


@contextmanager
def precise_norms(model: nn.Module, observe: Callable[[], None]) -> Iterator[None]:
    """Evaluate with statistics averaged over the batches that `observe` runs through the model.

    When the block ends, the model is as it was: running statistics and modes included.
    """
    norms = [m for m in model.modules() if isinstance(m, TaskNorm) and m.norm_eval == "task"]
    modes = {module: module.training for module in model.modules()}
    own = [({name: b.clone() for name, b in n.named_buffers()}, n.momentum) for n in norms]
    try:
        if norms:
            _start_averages(model, norms)
            with torch.no_grad():
                observe()
        model.eval()
        yield
    finally:
        for norm, (buffers, momentum) in zip(norms, own, strict=True):
            norm.load_state_dict(buffers, strict=False)
            norm.momentum = momentum
        for module, training in modes.items():
            module.training = training


def _start_averages(model: nn.Module, norms: list[TaskNorm]) -> None:
    model.eval()  # a dropout would draw from a generator that training needs
    for norm in norms:
        norm.train()
        norm.momentum = None
        norm.batches.zero_()
