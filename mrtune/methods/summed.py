"""The plain rule: the sum of the task losses, on a network that may roam."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from mrtune.methods.learner import Criterion, Stepper
from mrtune.methods.model import MultiTaskModel
from mrtune.nn import PartitionedNetwork
from mrtune.roaming import Origin


class SummedLearner:
    """Minimises the sum of the losses: one step a batch, or (alternating) one step a task."""

    def __init__(
        self, model: MultiTaskModel, alternating: bool = False, origin: Origin | None = None
    ) -> None:
        self.model = model
        self._alternating = alternating
        self.origin = origin
        self._roamer = None if origin is None else origin.roamer()
        if self._roamer is not None:
            layers = self._roamer.layers
            self._network.set_active({name: layer.active for name, layer in layers.items()})

    @property
    def _network(self) -> PartitionedNetwork:
        assert isinstance(self.model.body, PartitionedNetwork)  # others do not roam
        return self.model.body

    def update(self, x: Tensor, criterion: Criterion, stepper: Stepper) -> Tensor:
        """Learn from one batch, holding the graph of one task at a time where tasks run in turn."""
        update = self._one_by_one if self._alternating else self._together
        return update(x, criterion, stepper)

    def _together(self, x: Tensor, criterion: Criterion, stepper: Stepper) -> Tensor:
        losses = []
        with self.model.shared(x) as run:
            for task, head in enumerate(self.model.heads):
                loss = criterion(task, head(run.features(task)))
                stepper.backward(loss)
                losses.append(loss.detach())
        stepper.step()
        return torch.stack(losses)

    def _one_by_one(self, x: Tensor, criterion: Criterion, stepper: Stepper) -> Tensor:
        losses = []
        for task in range(self.model.tasks):
            loss = criterion(task, self.model.predict(x, task))
            stepper.backward(loss)
            stepper.step()
            losses.append(loss.detach())
        return torch.stack(losses)

    def advance(self, iteration: int) -> None:
        """Swap the units that the plan says are due."""
        if self._roamer is None:
            return
        weights = {name: self._network.weight(name) for name in self._network.units}
        changed = self._roamer.advance(iteration, weights)
        if changed:
            self._network.set_active(changed)

    def metrics(self) -> dict[str, float]:
        """Return how far roaming has come."""
        if self._roamer is None:
            return {}
        return {
            "roaming/completion": self._roamer.completion,
            "roaming/coverage_relaxed": float(self._roamer.relaxed),
        }

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the roaming; the partition itself is in the model too."""
        return {} if self._roamer is None else self._roamer.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue roaming from a saved state."""
        if self._roamer is not None:
            self._roamer.load_state_dict(state)
