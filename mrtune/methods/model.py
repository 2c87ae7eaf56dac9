"""A shared body and a head for each task."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor, nn

from mrtune.nn.run import Run


class Body(Protocol):
    """A network that yields features for each of several tasks."""

    def __call__(self, x: Tensor, task: int) -> Tensor:
        """Return the features of one task."""

    def shared(self, x: Tensor) -> Run:
        """Start a batch for several tasks."""


class MultiTaskModel(nn.Module):
    """What a method trains: T tasks, one output each."""

    def __init__(self, body: nn.Module, heads: Sequence[nn.Module]) -> None:
        super().__init__()
        self.body = body
        self.heads = nn.ModuleList(heads)

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(self.heads)

    def predict(self, x: Tensor, task: int) -> Tensor:
        """Return the output of one task, by itself."""
        output: Tensor = self.heads[task](self.body(x, task))
        return output

    def shared(self, x: Tensor) -> Run:
        """Start a batch for several tasks: what they have in common is computed once."""
        run: Run = self.body.shared(x)  # type: ignore[operator]  # every Body has it
        return run

    def forward(self, x: Tensor) -> list[Tensor]:
        """Return the outputs of all tasks."""
        run = self.shared(x)
        return [head(run.features(task)) for task, head in enumerate(self.heads)]
