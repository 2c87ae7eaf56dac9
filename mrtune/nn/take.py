"""Takes parts of a tensor so that their gradients are summed in place into one full-size buffer."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from mrtune.nn.support import Support


class Weights:
    """The weights of one run, and where the gradients of their parts are summed.

    Autograd sees a scalar token between a weight and its parts, so that no task materialises a
    full-size gradient: parts add theirs to a buffer, and the token's own backward hands the buffer
    to the weight.
    """

    def __init__(self) -> None:
        self._sources: dict[Tensor, _Source] = {}
        self._tokens: dict[Tensor, Tensor] = {}
        self._ends: dict[Tensor, Tensor] | None = None

    def take(self, weight: Tensor, rows: Support | None, cols: Support | None) -> Tensor:
        """Return weight[rows][:, cols]; None stands for all."""
        if rows is None and cols is None:
            return weight
        if weight not in self._sources:
            self._sources[weight] = _Source(weight)
            self._tokens[weight] = _Token.apply(weight, self._sources[weight])
        index = (rows and rows.channels, cols and cols.channels)
        part: Tensor = _Take.apply(self._token(weight), self._sources[weight], *index)
        return part

    def cut(self) -> None:
        """From now on keep gradients in the buffers, until `ends` are sent on."""
        self._ends = {}

    def ends(self) -> list[tuple[Tensor, Tensor]]:
        """Return what the buffers hang on: pairs of (tensor, its leaf stand-in)."""
        return [(self._tokens[w], leaf) for w, leaf in (self._ends or {}).items()]

    def _token(self, weight: Tensor) -> Tensor:
        token = self._tokens[weight]
        if self._ends is None or not token.requires_grad:
            return token
        if weight not in self._ends:
            self._ends[weight] = token.detach().requires_grad_()
        return self._ends[weight]


class Channels:
    """A tensor [image, channel, …] that tasks pick channels from."""

    def __init__(self, tensor: Tensor) -> None:
        self._last = tensor.movedim(1, -1)
        self._rows = self._last.flatten(0, -2)

    def pick(self, weights: Weights, support: Support) -> Tensor:
        """Return the channels of a support, laid out channels last."""
        part = weights.take(self._rows, None, support)
        return part.view(*self._last.shape[:-1], -1).movedim(-1, 1)


class _Source:
    """One weight, and the sum of the gradients of its parts."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight.detach()
        self.total: Tensor | None = None

    def add(self, part: Tensor, rows: Tensor | None, cols: Tensor | None) -> None:
        if self.total is None:
            self.total = torch.zeros_like(self.weight, memory_format=torch.contiguous_format)
        if cols is None:
            assert rows is not None
            self.total.index_add_(0, rows, part.contiguous())
            return
        if rows is None and self.weight.dim() == 2:
            self.total.index_add_(1, cols, part)
            return
        index = _flat(self.weight, rows, cols)
        blocks = _blocks(self.total)
        # Measured at half the time of one index_add_ on these short blocks.
        total = blocks.index_select(0, index).add_(part.reshape(-1, blocks.shape[1]))
        blocks.index_copy_(0, index, total)

    def pop(self) -> Tensor:
        total, self.total = self.total, None
        return torch.zeros_like(self.weight) if total is None else total


class _Token(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, source: _Source) -> Tensor:
        ctx.source = source
        return weight.new_zeros(())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, _: Tensor) -> tuple[Tensor, None]:
        return ctx.source.pop(), None


class _Take(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        token: Tensor,  # noqa: ARG004  # what autograd sees
        source: _Source,
        rows: Tensor | None,
        cols: Tensor | None,
    ) -> Tensor:
        ctx.source, ctx.index = source, (rows, cols)
        if cols is None:
            assert rows is not None
            return source.weight.index_select(0, rows)
        if rows is None and source.weight.dim() == 2:
            return source.weight.index_select(1, cols)
        part = _blocks(source.weight).index_select(0, _flat(source.weight, rows, cols))
        return part.view(-1, len(cols), *source.weight.shape[2:])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, part: Tensor) -> tuple[Tensor, None, None, None]:
        ctx.source.add(part, *ctx.index)
        return part.new_zeros(()), None, None, None


def _blocks(weight: Tensor) -> Tensor:
    """View [out, in, …] as one row for each pair of output and input."""
    return weight.reshape(weight.shape[0] * weight.shape[1], -1)


def _flat(weight: Tensor, rows: Tensor | None, cols: Tensor) -> Tensor:
    # Not cached: over all layers and tasks it would outweigh the network.
    outputs, inputs = weight.shape[:2]
    rows = torch.arange(outputs, device=weight.device) if rows is None else rows
    return (rows[:, None] * inputs + cols).flatten()
