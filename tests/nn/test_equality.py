"""The fast executions compute what the dense one does, to 1e-10 in float64."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor, nn

from mrtune.nn import PartitionedNetwork, resnet18, segnet
from tests.nn.helpers import (
    STEPS,
    TASKS,
    assert_same,
    assert_steps_same,
    draw_partition,
    many_backwards,
    one_by_one,
    outcome,
    pair,
)

Setup = Callable[..., tuple[list[PartitionedNetwork], Tensor]]

RATIOS = (0.0, 0.3, 0.5, 0.8, 1.0)
NETWORKS: dict[str, tuple[Callable[..., nn.Module], int]] = {
    "resnet18": (resnet18, 64),
    "segnet": (segnet, 33),
}


def _setup(
    fast: str, name: str, p: float, **options: str
) -> tuple[list[PartitionedNetwork], Tensor]:
    torch.manual_seed(0)
    build, size = NETWORKS[name]
    network = build(width=8).double()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            # A constant map then lies beside the kink of ReLU, not on it, where rounding decides.
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias)
    nets = pair(network, fast=fast, **options)
    active = draw_partition(nets[0].units, TASKS, p, seed=1)
    for net in nets:
        net.set_active(active)
    return nets, torch.randn(3, 3, size, size, dtype=torch.float64)


@pytest.fixture(params=["compact", "stacked"])
def setup(request: pytest.FixtureRequest) -> Setup:
    return partial(_setup, request.param)


@pytest.mark.parametrize("p", RATIOS)
@pytest.mark.parametrize("name", NETWORKS)
def test_training_step_equals_dense(setup: Setup, name: str, p: float) -> None:
    (dense, fast), x = setup(name, p)
    assert_steps_same(fast, dense, x)


@pytest.mark.parametrize("name", NETWORKS)
def test_any_way_to_take_a_step_is_equal(setup: Setup, name: str) -> None:
    (dense, fast), x = setup(name, 0.5)
    assert_steps_same(fast, dense, x, STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("p", RATIOS)
@pytest.mark.parametrize("name", NETWORKS)
def test_evaluation_equals_dense(setup: Setup, name: str, p: float) -> None:
    (dense, fast), x = setup(name, p)
    one_by_one(dense, x)
    assert_steps_same(fast.eval(), dense.eval(), x)


@pytest.mark.parametrize("name", NETWORKS)
def test_evaluation_by_batch_equals_dense(setup: Setup, name: str) -> None:
    (dense, fast), x = setup(name, 0.5, norm_eval="batch")
    before = {n: b.clone() for n, b in fast.named_buffers()}
    assert_steps_same(fast.eval(), dense.eval(), x)
    assert all(before[n].equal(b) for n, b in fast.named_buffers())


@pytest.mark.slow
@pytest.mark.parametrize("p", RATIOS[:-1])  # at p = 1 there is nothing to swap
@pytest.mark.parametrize("name", NETWORKS)
def test_fast_equals_dense_after_swaps(setup: Setup, name: str, p: float) -> None:
    nets, x = setup(name, p)
    for seed in (2, 3):
        active = draw_partition(nets[0].units, TASKS, p, seed)
        for net in nets:
            many_backwards(net, x)
            net.set_active(active)
    dense, fast = nets
    assert_same(outcome(fast, x, many_backwards), outcome(dense, x))
    assert_same(outcome(fast.eval(), x, many_backwards), outcome(dense.eval(), x))


@pytest.mark.slow
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", NETWORKS)
def test_task_without_units_in_a_layer_is_legal(setup: Setup, name: str, training: bool) -> None:
    nets, x = setup(name, 0.5)
    for net in nets:
        one_by_one(net, x)
        for layer in list(net.units)[1::4] + list(net.units)[:1]:
            active = net.active[layer]
            active[0] = False
            net.set_active({layer: active})
        net.train(training)
    dense, fast = nets
    assert_steps_same(fast, dense, x)


def test_layers_that_tasks_share_in_part_are_equal(setup: Setup) -> None:
    (dense, fast), x = setup("resnet18", 0.5)
    for net in (dense, fast):
        full = {n: torch.ones_like(a) for n, a in net.active.items() if n.startswith("layer1")}
        uneven = torch.ones_like(net.active["conv1"])
        uneven[1, :3] = False
        same_for_all = net.active["layer2.0.conv1"][:1].expand(TASKS, -1)
        net.set_active({**full, "conv1": uneven, "layer2.0.conv1": same_for_all})
    assert_steps_same(fast, dense, x)


def test_first_layers_with_one_mask_for_all_tasks_are_equal(setup: Setup) -> None:
    (dense, fast), x = setup("resnet18", 0.5)
    for net in (dense, fast):
        first = [n for n in net.units if n == "conv1" or n.startswith("layer1")]
        net.set_active({n: net.active[n][:1].expand(TASKS, -1) for n in first})
    assert_steps_same(fast, dense, x)


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (3, 3, 40, 72), (2, 3, 32, 32), (1, 3, 32, 32)])
def test_any_batch_and_image_size_is_equal(setup: Setup, shape: tuple[int, ...]) -> None:
    # 32×32 leaves one position in the last stage: with one image, one element for a norm.
    (dense, fast), _ = setup("resnet18", 0.5)
    x = torch.randn(shape, dtype=torch.float64)
    assert_steps_same(fast, dense, x)
    assert all(b.isfinite().all() for b in fast.buffers())


def test_float32_features_agree_to_rounding(setup: Setup) -> None:
    (dense, fast), x = setup("resnet18", 0.5)
    torch.testing.assert_close(
        fast.float().shared(x.float()).features(0),
        dense.float()(x.float(), 0),
        atol=1e-4,
        rtol=1e-3,
    )
