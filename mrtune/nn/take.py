"""Takes parts of a tensor so that their gradients are summed in place into one full-size buffer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.autograd.graph import saved_tensors_hooks

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
        """Return weight[rows][:, cols], laid out channels last; None stands for all."""
        if rows is None and cols is None:
            return weight
        return self._take(weight, self._part(weight, rows, cols))

    def use(
        self,
        weight: Tensor,
        rows: Support | None,
        cols: Support | None,
        function: Callable[[Tensor], Tensor],
    ) -> Tensor:
        """Return a function of weight[rows][:, cols] whose graph does not hold on to that part.

        The parts of all layers would outweigh the activations; they are taken again in backward.
        """
        if rows is None and cols is None:
            return function(weight)
        part = self._part(weight, rows, cols)
        with part.forgotten(taken := self._take(weight, part)):
            return function(taken)

    def cut(self) -> None:
        """From now on keep gradients in the buffers, until `ends` are sent on."""
        self._ends = {}

    def ends(self) -> list[tuple[Tensor, Tensor]]:
        """Return what the buffers hang on: pairs of (tensor, its leaf stand-in)."""
        return [(self._tokens[w], leaf) for w, leaf in (self._ends or {}).items()]

    def _part(self, weight: Tensor, rows: Support | None, cols: Support | None) -> "_Part":
        if weight not in self._sources:
            self._sources[weight] = _Source(weight)
            self._tokens[weight] = _Token.apply(weight, self._sources[weight])
        return _Part(self._sources[weight], *(s.channels if s else None for s in (rows, cols)))

    def _take(self, weight: Tensor, part: "_Part") -> Tensor:
        taken: Tensor = _Take.apply(self._token(weight), part)
        return taken

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
        self.weight = weight.detach().movedim(1, -1)  # [out, …, in]
        self.version = weight._version
        self.total: Tensor | None = None

    def pop(self) -> Tensor:
        total, self.total = self.total, None
        return (torch.zeros_like(self.weight) if total is None else total).movedim(-1, 1)


@dataclass(frozen=True)
class _Part:
    """Some rows and columns of a weight; None stands for all, but not for both."""

    source: _Source
    rows: Tensor | None
    cols: Tensor | None

    def read(self) -> Tensor:
        weight = self.source.weight
        if weight._version != self.source.version:
            raise RuntimeError("a weight was changed in place between forward and backward")
        part = weight.flatten(1)
        if self.rows is not None:
            part = part.index_select(0, self.rows)
        outputs, part = len(part), part.reshape(-1, weight.shape[-1])
        if self.cols is not None:
            part = part.index_select(1, self.cols)
        return part.view(outputs, *weight.shape[1:-1], -1).movedim(-1, 1)

    def add(self, grad: Tensor) -> None:
        source = self.source
        if source.total is None:
            source.total = torch.zeros_like(source.weight, memory_format=torch.contiguous_format)
        total, inputs = source.total.flatten(1), source.total.shape[-1]
        grad = grad.movedim(1, -1).flatten(0, -2)
        if self.cols is None:
            assert self.rows is not None
            total.index_add_(0, self.rows, grad.reshape(len(self.rows), -1))
        elif self.rows is None:
            total.view(-1, inputs).index_add_(1, self.cols, grad)
        else:
            rows = total.index_select(0, self.rows)
            rows.view(-1, inputs).index_add_(1, self.cols, grad)
            total.index_copy_(0, self.rows, rows)

    def forgotten(self, taken: Tensor) -> saved_tensors_hooks:
        """Let graphs built meanwhile remember how to take the part, in place of what was taken."""
        storage = taken.untyped_storage().data_ptr()

        def pack(saved: Tensor) -> Tensor | Callable[[], Tensor]:
            if saved.untyped_storage().data_ptr() != storage:
                return saved
            layout = saved.shape, saved.stride(), saved.storage_offset()
            return lambda: self.read().as_strided(*layout)

        return saved_tensors_hooks(pack, lambda kept: kept if torch.is_tensor(kept) else kept())


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
    def forward(ctx: Any, token: Tensor, part: _Part) -> Tensor:  # noqa: ARG004  # autograd sees it
        ctx.part = part
        return part.read()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        ctx.part.add(grad)
        return grad.new_zeros(()), None
