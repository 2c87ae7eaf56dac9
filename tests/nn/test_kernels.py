"""The pieces that make compact execution fast compute what their plain forms do."""

import weakref

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional as F

from mrtune.nn import pointwise, tiny
from mrtune.nn.plans import Plans
from mrtune.nn.pointwise import is_pointwise
from mrtune.nn.residual import union_add
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
    assert is_tiny(conv, x, conv.weight)
    ours = _gradients(tiny.product(x, conv.weight), x, conv.weight)
    torch.testing.assert_close(ours, _gradients(conv(x), x, conv.weight))


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


@pytest.mark.parametrize(("units", "size"), [(5, 3), (512, 2)])
def test_large_maps_and_large_matrices_are_not_tiny(units: int, size: int) -> None:
    conv = nn.Conv2d(units, units, 3, padding=1, bias=False)
    assert not is_tiny(conv, torch.zeros(4, units, size, size), conv.weight)


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


def test_parts_are_taken_again_in_backward_not_kept() -> None:
    weight, x, rows = _leaf(8, 8, 3, 3), _leaf(2, 8, 4, 4), Support(torch.tensor([5, 0, 2]), 8)
    parts: list[weakref.ref[Tensor]] = []

    def convolve(part: Tensor) -> Tensor:
        parts.append(weakref.ref(part))
        return F.conv2d(x, part, padding=1)

    ours, kept = Weights().use(weight, rows, None, convolve), convolve(weight[rows.channels])
    assert kept.requires_grad
    assert [part() is None for part in parts] == [True, False]
    wanted = F.conv2d(x, weight[rows.channels], padding=1)
    torch.testing.assert_close(_gradients(ours, x, weight), _gradients(wanted, x, weight))


def test_a_weight_changed_before_backward_is_an_error_not_a_wrong_gradient() -> None:
    weight, x, rows = _leaf(8, 8, 3, 3), _leaf(2, 8, 4, 4), Support(torch.tensor([5, 0, 2]), 8)
    out = Weights().use(weight, rows, None, lambda part: F.conv2d(x, part, padding=1))
    with torch.no_grad():
        weight.mul_(2)
    with pytest.raises(RuntimeError, match="changed in place between forward and backward"):
        out.sum().backward()


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
