"""Known answers of the paper's methods."""

import pytest
import torch
from torch import nn

from mrtune.methods import METHODS, MultiTaskModel, Setup, relative_parameters
from mrtune.methods.balanced import Losses
from mrtune.methods.gradnorm import GradNormBalancer
from mrtune.nn import PartitionedNetwork, resnet18
from mrtune.nn.squeeze import Squeeze
from tests.methods.problems import Descent, batch, build, learn, same_state, toy_setup


def test_task_routing_is_maximum_roaming_with_r_0() -> None:
    routed, still = build("tr", p=0.5), build("mr", p=0.5, r=0.0)
    learn(routed, range(8))
    learn(still, range(8))
    assert same_state(routed.model, still.model)


def test_maximum_roaming_with_p_1_is_mtl() -> None:
    roaming, shared = build("mr", p=1.0, delta=0.25), build("mtl")
    learn(roaming, range(8))
    learn(shared, range(8))
    assert same_state(roaming.model, shared.model)


def test_roaming_is_what_task_routing_lacks() -> None:
    routed, roaming = build("tr", p=0.5), build("mr", p=0.5, delta=0.25)
    before = network(roaming.model).active
    assert all(torch.equal(before[name], network(routed.model).active[name]) for name in before)
    learn(roaming, range(4))
    after = network(roaming.model).active
    assert roaming.metrics()["roaming/completion"] == 1.0
    assert not torch.equal(before["0"], after["0"])


@pytest.mark.parametrize("method", ["mr", "tr"])
def test_the_share_may_change_with_depth_in_order_of_execution(method: str) -> None:
    setup = toy_setup(network=resnet18)
    active = network(build(method, setup, p={"shallow": 1.0, "deep": 0.5}).model).active
    shares = [float(rows.float().mean()) for rows in active.values()]
    assert next(iter(active)) == "conv1"
    assert (shares[0], shares[-1]) == (1.0, 0.5)
    steps = [place / (len(shares) - 1) for place in range(len(shares))]
    assert shares == pytest.approx([1 - 0.5 * step for step in steps], abs=1 / 64)


def test_equal_ends_are_one_share() -> None:
    by_depth = build("mr", p={"shallow": 0.5, "deep": 0.5}, delta=0.25)
    single = build("mr", p=0.5, delta=0.25)
    learn(by_depth, range(4))
    learn(single, range(4))
    assert same_state(by_depth.model, single.model)


def network(model: MultiTaskModel) -> PartitionedNetwork:
    assert isinstance(model.body, PartitionedNetwork)
    return model.body


@pytest.mark.parametrize("selection", ["uniform", "cosine"])
def test_units_are_swapped_when_the_plan_says_so(selection: str) -> None:
    """Δ = 0.5 of 4 batches: a swap after every second batch, four swaps of 8 units at p = 0.5."""
    learner = build("mr", p=0.5, delta=0.5, selection=selection)
    done = []
    for number in range(8):
        learn(learner, range(number, number + 1))
        done.append(learner.metrics()["roaming/completion"])
    assert done == [0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1]


def test_selections_differ() -> None:
    learners = [build("mr", p=0.5, delta=0.25, selection=s) for s in ("uniform", "cosine")]
    for learner in learners:
        learn(learner, range(2))
    assert not same_state(learners[0].model, learners[1].model)


def test_mtl_descends_the_sum_of_the_losses() -> None:
    learner, reference = build("mtl"), build("mtl")
    descent = Descent(learner.model)
    x, criterion = batch(0)
    learner.update(x, criterion, descent)
    total = sum(criterion(task, output) for task, output in enumerate(reference.model(x)))
    parameters = list(reference.model.parameters())
    expected = torch.autograd.grad(total, parameters)
    for ours, theirs in zip(descent.gradients, expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_stl_networks_never_meet() -> None:
    """The gradient of one task's loss stays in that task's network and head."""
    model = build("stl").model
    x, criterion = batch(0)
    criterion(1, model.predict(x, 1)).backward()
    touched = [name for name, p in model.body.named_parameters() if p.grad is not None]
    assert {name.split(".")[1] for name in touched} == {"1"}
    assert [head.weight.grad is not None for head in model.heads] == [False, True, False]


def losses_with_norms(scales: list[float]) -> Losses:
    """Losses of which each task's gradient is a multiple of the same one."""
    body = build("mtl").model.body
    assert isinstance(body, PartitionedNetwork)
    features = body.shared(batch(0)[0]).features(0)
    value = features.square().mean()
    return Losses(torch.stack([scale * value for scale in scales]), [features] * len(scales), body)


def test_gradnorm_equalises_gradient_norms() -> None:
    """At α = 0 the weighted norms become equal: with norms 1 : 4, weights 1.6 and 0.4, sum 2."""
    balancer = GradNormBalancer(2, alpha=0.0, lr=0.01, device="cpu")
    losses = losses_with_norms([1.0, 4.0])
    for _ in range(400):
        weights = balancer.weights(losses)
    assert weights.tolist() == pytest.approx([1.6, 0.4], abs=0.05)
    assert float(weights.sum()) == pytest.approx(2.0)


def test_gradnorm_pulls_the_slow_task_along() -> None:
    """At α > 0, of two tasks with equal norms the one whose loss fell less gets more weight."""
    balancer = GradNormBalancer(2, alpha=1.0, lr=0.01, device="cpu")
    equal = losses_with_norms([1.0, 1.0])
    balancer.weights(equal)
    fast, slow = 0.2 * equal.values.detach()[0], 0.9 * equal.values.detach()[1]
    shifted = equal.values - equal.values.detach() + torch.stack([fast, slow])
    for _ in range(20):
        weights = balancer.weights(Losses(shifted, equal.features, equal.network))
    assert weights[0] < 0.9
    assert weights[1] > 1.1


def celeba_setup() -> Setup:
    """The paper's Celeb-A network: ResNet-18 and eight linear heads for 40 attributes."""
    sizes = (9, 5, 9, 4, 2, 5, 2, 4)
    heads = [lambda size=size: nn.Linear(512, size) for size in sizes]
    return Setup(network=resnet18, heads=heads, batches_per_epoch=636, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ratio"),
    [("mtl", 1.0), ("gradnorm", 1.0), ("mgda", 1.0), ("tr", 1.0), ("mr", 1.0), ("stl", 8.0)],
)
def test_trainable_parameters_are_counted_as_in_the_papers_table(name: str, ratio: float) -> None:
    """#P of the Celeb-A table; the paper prints 7.9 for STL."""
    assert relative_parameters(METHODS[name](), celeba_setup()) == pytest.approx(ratio, abs=0.11)


def test_se_mtl_with_open_gates_is_mtl() -> None:
    """An excitation of sigmoid(50) = 1 for every channel leaves the shared network as it is."""
    soft, shared = network(build("se").model), network(build("mtl").model)
    for gate in (module for module in soft.modules() if isinstance(module, Squeeze)):
        for excitation in gate.excite:
            nn.init.zeros_(excitation[-1].weight)
            nn.init.constant_(excitation[-1].bias, 50.0)
    x, _ = batch(0)
    assert torch.allclose(soft(x, 1), shared(x, 1), atol=1e-5)


def test_se_mtl_adds_few_parameters() -> None:
    setup = toy_setup()
    assert 1.0 < relative_parameters(METHODS["se"](), setup) < 1.5
