"""The order in which samples are seen: a function of seed and epoch, with nothing to remember."""

import math

import torch
from torch import Tensor

LARGE_PRIME = 1_000_003  # keeps the orders of neighbouring seeds apart


class Batches:
    """Cuts every epoch into batches that differ in size by one sample at most."""

    def __init__(self, samples: int, batch_size: int, seed: int) -> None:
        self.per_epoch = math.ceil(samples / batch_size)
        self._samples = samples
        self._seed = seed
        self._epoch = -1
        self._cut: tuple[Tensor, ...] = ()

    def at(self, iteration: int) -> Tensor:
        """Return the positions of the samples in the batch number `iteration`."""
        epoch, place = divmod(iteration, self.per_epoch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(self._seed * LARGE_PRIME + epoch)
            order = torch.randperm(self._samples, generator=generator)
            self._epoch, self._cut = epoch, order.tensor_split(self.per_epoch)
        return self._cut[place]
