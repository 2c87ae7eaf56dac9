"""What a method becomes when it meets a network: something that learns from batches."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from torch import Tensor

from mrtune.methods.model import MultiTaskModel
from mrtune.roaming import Origin

Criterion = Callable[[int, Tensor], Tensor]  # (task, output) -> its loss, a scalar


class Stepper(Protocol):
    """The optimiser as a learner sees it."""

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of a loss to those already there."""

    def step(self) -> None:
        """Update the parameters and clear their gradients."""


class Learner(Protocol):
    """A model, and the rule by which T losses become updates of it."""

    model: MultiTaskModel
    origin: Origin | None  # of its roaming, if it roams

    def update(self, x: Tensor, criterion: Criterion, stepper: Stepper) -> Tensor:
        """Learn from one batch and return the losses, float [task]."""

    def advance(self, iteration: int) -> None:
        """Do what is due now that `iteration` batches are done."""

    def metrics(self) -> dict[str, float]:
        """Return what the method can say of itself."""

    def state_dict(self) -> dict[str, Any]:
        """Return what changes in training besides the model."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
