"""Gradients through a run: what is shared is computed, and differentiated, once."""

import pytest
import torch
from torch import Tensor

from mrtune.nn import PartitionedNetwork, partition, resnet18
from mrtune.nn.support import Compact
from tests.nn.helpers import TASKS, draw_partition, loss, many_backwards, outcome

LAST = "layer4.1.conv2"


def _net(p: float, execution: str = "compact") -> PartitionedNetwork:
    torch.manual_seed(0)
    net = partition(resnet18(width=8).double(), TASKS, execution=execution)
    net.set_active(draw_partition(net.units, TASKS, p, seed=0))
    return net


def _x() -> Tensor:
    return torch.randn(
        3, 3, 64, 64, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    )


def _calls(net: PartitionedNetwork, name: str) -> list[int]:
    calls: list[int] = []
    net.body.get_parameter(name).register_hook(lambda _: calls.append(1))
    return calls


def test_stem_is_differentiated_once_for_all_tasks() -> None:
    net = _net(0.5)
    calls = _calls(net, "conv1.weight")
    many_backwards(net, _x())
    assert len(calls) == 1


def test_fully_shared_network_is_computed_and_differentiated_once() -> None:
    net = _net(1.0)
    calls = _calls(net, f"{LAST}.weight")
    with net.shared(_x()) as run:
        features = [run.features(task) for task in range(TASKS)]
        assert all(f is features[0] for f in features)
        for task, feature in enumerate(features):
            loss(feature, task).backward()
        assert not calls
    assert len(calls) == 1


def test_gradients_reach_weights_only_on_leaving_the_block() -> None:
    net = _net(0.5)
    with net.shared(_x()) as run:
        loss(run.features(0), 0).backward()
        assert net.weight("conv1").grad is None
        assert net.weight(LAST).grad is None
    assert net.weight("conv1").grad.abs().sum() > 0
    assert net.weight(LAST).grad.abs().sum() > 0


def test_gradients_of_two_blocks_add_up() -> None:
    net = _net(0.5)
    many_backwards(net, _x())
    once = net.weight(LAST).grad.clone()
    many_backwards(net, _x())
    torch.testing.assert_close(net.weight(LAST).grad, 2 * once)


def test_failed_block_leaves_no_gradient() -> None:
    net = _net(0.5)
    with pytest.raises(RuntimeError, match="stop"), net.shared(_x()) as run:  # noqa: PT012
        loss(run.features(0), 0).backward()
        raise RuntimeError("stop")
    assert net.weight(LAST).grad is None


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_gradient_by_shared_features_needs_no_weights(p: float) -> None:
    # MGDA-UB: each task's gradient with respect to the features, then one weighted backward.
    net, reference = _net(p), _net(p, "dense")
    weights = (0.2, 0.3, 0.5)
    with net.shared(_x()) as run:
        features = [run.features(task) for task in range(TASKS)]
        losses = [loss(f, t) for t, f in enumerate(features)]
        for a, f in zip(losses, features, strict=True):
            (gradient,) = torch.autograd.grad(a, f, retain_graph=True)
            assert gradient.shape == f.shape
        sum(w * a for w, a in zip(weights, losses, strict=True)).backward()
    for task, w in enumerate(weights):
        (w * loss(reference(_x(), task), task)).backward()
    wanted = dict(reference.named_parameters())
    for name, parameter in net.named_parameters():
        torch.testing.assert_close(parameter.grad, wanted[name].grad, atol=1e-10, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.5, 1.0])
def test_gradient_by_the_last_shared_weight(p: float) -> None:
    # GradNorm: per-task gradients of one weight, on the connected graph, before the backward.
    net, reference = _net(p), _net(p, "dense")
    run = net.shared(_x())
    losses = [loss(run.features(task), task) for task in range(TASKS)]
    for task, value in enumerate(losses):
        (ours,) = torch.autograd.grad(value, net.weight(LAST), retain_graph=True)
        wanted = loss(reference(_x(), task), task)
        (theirs,) = torch.autograd.grad(wanted, reference.weight(LAST))
        torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=0)
    assert net.weight(LAST).grad is None
    sum(losses).backward()
    wanted = outcome(_net(p, "dense"), _x()).gradients[f"body.{LAST}.weight"]
    torch.testing.assert_close(net.weight(LAST).grad, wanted, atol=1e-10, rtol=0)


def test_every_weights_gradient_can_be_taken_per_task() -> None:
    net, reference = _net(0.5), _net(0.5, "dense")
    run = net.shared(_x())
    for task in range(TASKS):
        ours = torch.autograd.grad(
            loss(run.features(task), task), list(net.parameters()), retain_graph=True
        )
        wanted = loss(reference(_x(), task), task)
        theirs = torch.autograd.grad(wanted, list(reference.parameters()))
        for a, b in zip(ours, theirs, strict=True):
            torch.testing.assert_close(a, b, atol=1e-10, rtol=0)


def test_gradient_reaches_the_image() -> None:
    net, reference = _net(0.5), _net(0.5, "dense")
    x, y = _x().requires_grad_(), _x().requires_grad_()
    many_backwards(net, x)
    for task in range(TASKS):
        loss(reference(y, task), task).backward()
    torch.testing.assert_close(x.grad, y.grad, atol=1e-10, rtol=0)


@pytest.mark.parametrize("execution", ["dense", "compact"])
def test_asking_twice_updates_statistics_twice(execution: str) -> None:
    net = _net(0.5, execution)
    run = net.shared(_x())
    run.features(1)
    run.features(1)
    assert net.body.bn1.batches[1].unique().tolist() == [0, 2]
    assert net.body.bn1.batches[0].eq(0).all()
    assert net.body.get_submodule("layer4.1.bn2").batches[1].unique().tolist() == [0, 2]


def test_compact_features_hold_only_what_can_be_non_zero() -> None:
    net = _net(0.3)
    run = net.shared(_x())
    value = run.compact(0)
    assert isinstance(value, Compact)
    assert value.tensor.shape[1] < 64
    torch.testing.assert_close(value.dense(), run.features(0))


def test_no_graph_is_built_without_gradients() -> None:
    net = _net(0.5)
    with torch.no_grad(), net.shared(_x()) as run:
        assert not run.features(0).requires_grad
