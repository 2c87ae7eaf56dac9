"""Weighted sums: a fully shared network whose task weights are found anew for each batch."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from mrtune.methods.learner import Criterion, Stepper
from mrtune.methods.model import MultiTaskModel
from mrtune.methods.setup import Setup
from mrtune.nn import PartitionedNetwork
from mrtune.roaming import Origin


@dataclass(frozen=True)
class Losses:
    """The losses of a batch and the graph behind them, for whoever weighs them."""

    values: Tensor  # float [task], connected to the graph
    features: Sequence[Tensor]  # of each task, where heads part from the shared network
    network: PartitionedNetwork

    def gradients(self, of: Sequence[Tensor]) -> Tensor:
        """Return each task's gradient as one row, float [task, size]."""
        rows = [torch.autograd.grad(value, of, retain_graph=True) for value in self.values]
        return torch.stack([torch.cat([part.flatten() for part in row]) for row in rows])

    def feature_gradients(self) -> Tensor:
        """Return each task's gradient with respect to the shared features, float [task, size]."""
        pairs = zip(self.values, self.features, strict=True)
        rows = [torch.autograd.grad(v, f, retain_graph=True)[0].flatten() for v, f in pairs]
        return torch.stack(rows)


class Balancer(ABC):
    """A rule that gives every task a weight; most look at nothing but the batch at hand."""

    @abstractmethod
    def weights(self, losses: Losses) -> Tensor:
        """Return the weights for this batch, float [task], without a graph."""

    def stepped(self, losses_again: Callable[[], Tensor]) -> None:  # noqa: B027
        """Learn from what the update did; the argument computes the batch's losses anew."""

    def epoch_ended(self) -> None:  # noqa: B027
        """Learn from the epoch that is over."""

    def state_dict(self) -> dict[str, Any]:
        """Return what changes from batch to batch."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:  # noqa: B027
        """Continue from a saved state."""


class BalancedLearner:
    """Minimises the weighted sum of the losses of a network that all tasks share in full.

    Alternating, the weights are found once a batch, on all tasks; then each task takes its step.
    """

    def __init__(self, setup: Setup, balancer: Balancer) -> None:
        self.model: MultiTaskModel = setup.model(setup.body)
        self.origin: Origin | None = None
        self.balancer = balancer
        self._alternating = setup.alternating
        self._batches_per_epoch = setup.batches_per_epoch
        self._last_weights = torch.ones(setup.tasks)

    def update(self, x: Tensor, criterion: Criterion, stepper: Stepper) -> Tensor:
        """Weigh the losses of a batch and learn from their sum."""
        run = self.model.shared(x)
        features = [run.features(task) for task in range(self.model.tasks)]
        values = torch.stack(
            [criterion(t, head(features[t])) for t, head in enumerate(self.model.heads)]
        )
        network = self.model.body
        assert isinstance(network, PartitionedNetwork)  # it is what setup.body builds
        weights = self.balancer.weights(Losses(values, features, network))
        if self._alternating:
            self._one_by_one(x, criterion, stepper, weights)
        else:
            stepper.backward((weights * values).sum())
            stepper.step()
        self.balancer.stepped(lambda: self._losses(x, criterion))
        self._last_weights = weights
        return values.detach()

    def _one_by_one(
        self, x: Tensor, criterion: Criterion, stepper: Stepper, weights: Tensor
    ) -> None:
        for task in range(self.model.tasks):
            stepper.backward(weights[task] * criterion(task, self.model.predict(x, task)))
            stepper.step()

    @torch.no_grad()
    def _losses(self, x: Tensor, criterion: Criterion) -> Tensor:
        return torch.stack([criterion(t, output) for t, output in enumerate(self.model(x))])

    def advance(self, iteration: int) -> None:
        """Tell the balancer when an epoch is over."""
        if iteration % self._batches_per_epoch == 0:
            self.balancer.epoch_ended()

    def metrics(self) -> dict[str, float]:
        """Return the weights of the last batch."""
        return {f"weight/{task}": float(w) for task, w in enumerate(self._last_weights)}

    def state_dict(self) -> dict[str, Any]:
        """Return the balancer's state."""
        return {"balancer": self.balancer.state_dict(), "weights": self._last_weights}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.balancer.load_state_dict(state["balancer"])
        self._last_weights = state["weights"]


def shared_parameters(network: nn.Module) -> list[nn.Parameter]:
    """Return the parameters that all tasks train."""
    return [parameter for parameter in network.parameters() if parameter.requires_grad]
