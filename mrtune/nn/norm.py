"""Batch normalisation with shared affine weights and statistics per task."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class BatchStatistics:
    """Mean and unbiased variance of each channel of one batch."""

    mean: Tensor
    var: Tensor

    def pick(self, units: Tensor) -> "BatchStatistics":
        """Return those of some units."""
        return BatchStatistics(self.mean[units], self.var[units])


class TaskNorm(nn.Module):
    """A batch norm that keeps running statistics for each task and unit.

    A statistic that has seen no batch yet takes the first one whole. A unit that a task newly holds
    starts from the lowest-numbered other task that held it before the change and has seen a batch,
    else as unseen.
    """

    running_mean: Tensor  # [task, unit]
    running_var: Tensor  # [task, unit]
    batches: Tensor  # int64 [task, unit], batches seen; 0 means not yet

    def __init__(self, norm: nn.BatchNorm2d, tasks: int, norm_eval: str) -> None:
        super().__init__()
        self.weight = norm.weight
        self.bias = norm.bias
        self.eps = norm.eps
        self.momentum = norm.momentum
        # A norm without running statistics knows only the batch's.
        self.norm_eval = norm_eval if norm.running_mean is not None else "batch"
        self.train(norm.training)
        mean, var, batches = _start(norm)
        self.register_buffer("running_mean", mean.repeat(tasks, 1))
        self.register_buffer("running_var", var.repeat(tasks, 1))
        self.register_buffer("batches", batches.repeat(tasks, 1))

    @property
    def uses_batch(self) -> bool:
        """Whether it normalises by the batch now, hence alike for all tasks."""
        return self.training or self.norm_eval == "batch"

    def forward(self, x: Tensor, task: int | Tensor, active: Tensor | None = None) -> Tensor:
        """Normalise every channel; in training, update the statistics of the task's units."""
        if not self.uses_batch:
            return self.by_task(x, task)
        out, batch = self.by_batch(x)
        if self.training:
            self._blend((task,), batch, None if active is None else active[task])
        return out

    def stacked(self, x: Tensor, active: Tensor | None) -> Tensor:
        """Do the same for images of all tasks, [image·task, unit, …], each task's by themselves."""
        tasks, units = self.batches.shape
        side_by_side = x.reshape(-1, tasks * units, *x.shape[2:])
        everything = torch.arange(units, device=x.device).repeat(tasks)
        if self.uses_batch:
            out, batch = self.by_batch(side_by_side, everything)
            each = BatchStatistics(batch.mean.view(tasks, units), batch.var.view(tasks, units))
            if self.training:
                self._blend((), each, active)
        else:
            out = self._by(
                self.running_mean.flatten(), self.running_var.flatten(), side_by_side, everything
            )
        return out.view_as(x)

    def by_task(self, x: Tensor, task: int | Tensor, units: Tensor | None = None) -> Tensor:
        """Normalise by a task's running statistics; `units` says what the channels of x are."""
        mean, var = self.running_mean[task], self.running_var[task]
        if units is not None:
            mean, var = mean[units], var[units]
        return self._by(mean, var, x, units)

    def _by(self, mean: Tensor, var: Tensor, x: Tensor, units: Tensor | None) -> Tensor:
        return torch.batch_norm(x, *self.affine(units), mean, var, False, 0.0, self.eps, True)

    def by_batch(self, x: Tensor, units: Tensor | None = None) -> tuple[Tensor, BatchStatistics]:
        """Normalise by the batch, whose statistics are returned too."""
        batch = BatchStatistics(*self.running_mean.new_zeros(2, x.shape[1]).unbind())
        # At momentum 1 the kernel leaves the batch's own statistics in the running ones.
        out = torch.batch_norm(
            x, *self.affine(units), batch.mean, batch.var, True, 1.0, self.eps, True
        )
        if x.numel() == x.shape[1]:  # One element has no unbiased variance.
            batch = BatchStatistics(batch.mean, torch.zeros_like(batch.var))
        return out, batch

    def affine(self, units: Tensor | None = None) -> tuple[Tensor | None, Tensor | None]:
        """Return weight and bias of some units, or of all."""
        if units is None or self.weight is None:
            return self.weight, self.bias
        return self.weight.index_select(0, units), self.bias.index_select(0, units)

    def update(self, task: int, batch: BatchStatistics, units: Tensor | None = None) -> None:
        """In training, blend a batch into a task's running statistics of some units, or of all."""
        if self.training:
            self._blend((task,) if units is None else (task, units), batch)

    @torch.no_grad()
    def _blend(
        self, at: tuple[int | Tensor, ...], batch: BatchStatistics, held: Tensor | None = None
    ) -> None:
        """Blend a batch into the statistics at an index, where `held` if that is given."""
        seen = self.batches[at]
        rate = 1 / (seen + 1) if self.momentum is None else self._rate(seen, self.momentum)
        rate = rate.to(self.running_mean.dtype)
        for running, value, new in (
            (self.running_mean, self.running_mean[at], batch.mean),
            (self.running_var, self.running_var[at], batch.var),
        ):
            blended = value.lerp(new, rate)
            running[at] = blended if held is None else torch.where(held, blended, value)
        self.batches[at] = seen + 1 if held is None else seen + held

    @torch.no_grad()
    def activate(self, before: Tensor, after: Tensor) -> None:
        """Start the statistics of newly held units, and forget those of units given up."""
        donors = before & (self.batches > 0)
        new = after & ~before
        # argmax of a bool column is its first True: the lowest-numbered donor.
        donor = donors.to(torch.uint8).argmax(0)
        found = new & donors.any(0)
        unit = torch.arange(before.shape[1], device=before.device)
        for running in (self.running_mean, self.running_var):
            running.copy_(torch.where(found, running[donor, unit], running))
        self.batches.copy_(torch.where(found, self.batches[donor, unit], self.batches))
        self.batches[~after | (new & ~found)] = 0

    @staticmethod
    def _rate(seen: Tensor, momentum: float) -> Tensor:
        return torch.where(seen == 0, 1.0, momentum)


def _start(norm: nn.BatchNorm2d) -> tuple[Tensor, Tensor, Tensor]:
    if norm.running_mean is None or norm.running_var is None:
        like = torch.empty(0) if norm.weight is None else norm.weight
        zeros = like.new_zeros(norm.num_features)
        return zeros, zeros + 1, zeros.long()
    trained = norm.num_batches_tracked
    batches = norm.running_mean.new_zeros(norm.num_features, dtype=torch.long)
    return norm.running_mean, norm.running_var, batches if trained is None else batches + trained
