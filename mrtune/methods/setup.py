"""What a method is given to build its network from."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from mrtune.methods.model import MultiTaskModel
from mrtune.nn import PartitionedNetwork, partition


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A workload's network and heads, and how they are to be run and trained."""

    network: Callable[[], nn.Module]
    heads: Sequence[Callable[[], nn.Module]]
    batches_per_epoch: int
    seed: int
    layers: Sequence[str] | None = None  # convolutions to partition; all by default
    execution: str = "compact"
    norm_eval: str = "task"
    compiled: bool = False
    alternating: bool = False
    device: str = "cpu"

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(self.heads)

    def body(self, tasks: int | None = None, gate: str = "mask") -> PartitionedNetwork:
        """Build a network that all its tasks share in full."""
        return partition(
            self.network(),
            tasks or self.tasks,
            self.layers,
            execution=self.execution,
            gate=gate,
            norm_eval=self.norm_eval,
            compiled=self.compiled,
        )

    def model(self, build_body: Callable[[], nn.Module]) -> MultiTaskModel:
        """Build body and heads with weights that the seed alone decides."""
        with seeded(self.seed):
            body = build_body()
            heads = [build() for build in self.heads]
        return MultiTaskModel(body, heads).to(self.device)

    def generator(self) -> torch.Generator:
        """Return a new source of chance for partitions and swaps."""
        return torch.Generator(self.device).manual_seed(self.seed)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch's global generator for the block, and restore it: modules know no other."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
