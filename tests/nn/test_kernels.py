"""The pieces that make compact execution fast compute what their plain forms do."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from mrtune.nn import pointwise, small, tiny
from mrtune.nn.plans import Plans
from mrtune.nn.pointwise import is_pointwise
from mrtune.nn.residual import union_add
from mrtune.nn.small import is_small
from mrtune.nn.support import Compact, Support
from mrtune.nn.take import Weights
from mrtune.nn.tiny import is_tiny


def _gradients(out: Tensor, *inputs: Tensor) -> list[Tensor]:
    rng = torch.Generator().manual_seed(0)
    grad = torch.randn(out.shape, dtype=out.dtype, generator=rng)
    return [out.detach(), *torch.autograd.grad(out, inputs, grad)]


def _leaf(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64).requires_grad_()


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_tiny_product_is_the_convolution(size: tuple[int, int]) -> None:
    conv = nn.Conv2d(5, 7, 3, padding=1, bias=False).double()
    x = _leaf(4, 5, *size)
    assert is_tiny(conv, x)
    ours = _gradients(tiny.product(x, conv.weight), x, conv.weight)
    torch.testing.assert_close(ours, _gradients(conv(x), x, conv.weight))


@pytest.mark.parametrize(("size", "stride", "kernel"), [(4, 1, 3), (3, 1, 5), (8, 2, 3), (5, 2, 3)])
def test_small_convolution_is_the_convolution(size: int, stride: int, kernel: int) -> None:
    conv = nn.Conv2d(5, 7, kernel, stride, padding=1, bias=False).double()
    x = _leaf(4, 5, size, size)
    assert is_small(conv, x)
    ours = small.convolve(x, conv.weight, conv.stride, conv.padding)
    torch.testing.assert_close(
        _gradients(ours, x, conv.weight), _gradients(conv(x), x, conv.weight)
    )


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("bias", [True, False])
def test_pointwise_product_is_the_convolution(stride: int, bias: bool) -> None:
    conv = nn.Conv2d(5, 7, 1, stride, bias=bias).double()
    x = _leaf(4, 5, 6, 5)
    assert is_pointwise(conv)
    ours = pointwise.product(conv, x, conv.weight, conv.bias)
    parameters = list(conv.parameters())
    torch.testing.assert_close(
        _gradients(ours, x, *parameters), _gradients(conv(x), x, *parameters)
    )


def test_large_maps_take_neither_path() -> None:
    conv, x = nn.Conv2d(5, 7, 3, padding=1, bias=False), torch.zeros(4, 5, 16, 16)
    assert not is_tiny(conv, x)
    assert not is_small(conv, x)


supports = st.sets(st.integers(0, 7), min_size=1).map(
    lambda s: Support(torch.tensor(sorted(s, key=lambda c: c * 5 % 8)), 8)
)


@settings(deadline=None, max_examples=40)
@given(st.none() | supports, st.none() | supports)
def test_parts_of_a_weight_are_its_rows_and_columns(
    rows: Support | None, cols: Support | None
) -> None:
    weight = _leaf(8, 8, 3, 3)
    part = Weights().take(weight, rows, cols)
    wanted = weight if rows is None else weight[rows.channels]
    wanted = wanted if cols is None else wanted[:, cols.channels]
    torch.testing.assert_close(_gradients(part * 1, weight), _gradients(wanted * 1, weight))


@settings(deadline=None, max_examples=40)
@given(supports, supports)
def test_union_add_is_the_dense_sum(a: Support, b: Support) -> None:
    x, y = _leaf(2, len(a), 3, 2), _leaf(2, len(b), 3, 2)
    union = Plans().union(a, b)
    ours = Compact(union_add(x, y, union), union.support).dense()
    wanted = Compact(x, a).dense() + Compact(y, b).dense()
    torch.testing.assert_close(_gradients(ours, x, y), _gradients(wanted, x, y))


def test_index_of_a_missing_channel_is_that_of_zeros() -> None:
    maps = torch.zeros(1, 3, 4, 4)
    maps[:, 1] = torch.arange(16.0).view(4, 4)
    _, wanted = F.max_pool2d(maps, 2, return_indices=True)
    _, held = F.max_pool2d(maps[:, 1:2], 2, return_indices=True)
    _, zero = F.max_pool2d(maps[:, :1], 2, return_indices=True)
    indices = Compact(held, Support(torch.tensor([1]), 3), fill=zero)
    assert indices.dense().equal(wanted)
