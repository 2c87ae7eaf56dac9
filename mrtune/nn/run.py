"""One batch on its way through a partitioned network, for any of the tasks."""

from abc import ABC, abstractmethod
from types import TracebackType

from torch import Tensor

from mrtune.errors import ParameterError
from mrtune.nn.support import Value, dense


class Run(ABC):
    """What `PartitionedNetwork.shared` returns.

    Used plainly, features belong to one connected graph. Used in a `with` block, that graph is cut
    where the tasks part: each backward stops there, and leaving the block sends the sum on, once.
    """

    def __init__(self, tasks: int) -> None:
        self._tasks = tasks

    def features(self, task: int) -> Tensor:
        """Return the features of one task at full width."""
        features: Tensor = dense(self.compact(task))
        return features

    def compact(self, task: int) -> Value:
        """Return the features of one task as computed, for heads that can skip zero channels."""
        if not 0 <= task < self._tasks:
            raise ParameterError("task", f"from 0 to {self._tasks - 1}", task)
        return self._compute(task)

    def __enter__(self) -> "Run":
        self._cut()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._flow()

    @abstractmethod
    def _compute(self, task: int) -> Value: ...

    def _cut(self) -> None:  # noqa: B027
        """Cut the graph where the tasks part, if they have a part in common."""

    def _flow(self) -> None:  # noqa: B027
        """Send the gradients that have gathered at the cut on."""
