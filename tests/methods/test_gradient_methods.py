"""Known answers of methods that look at the tasks' gradients."""

import numpy as np
import pytest
import qpsolvers
import torch
from torch import Tensor

from mrtune.methods.balanced import Losses
from mrtune.methods.min_norm import min_norm_weights
from mrtune.nn import PartitionedNetwork
from tests.methods.problems import batch, build


def gradients(tasks: int, size: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(tasks, size, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("tasks", [2, 3, 8, 15, 40])
@pytest.mark.parametrize("size", [5, 100])
def test_the_min_norm_point_equals_a_quadratic_program(tasks: int, size: int) -> None:
    """Also where gradients are linearly dependent (size < tasks) and of very unequal length."""
    for seed in range(3):
        rows = gradients(tasks, size, seed) * torch.logspace(0, 2, tasks).double()[:, None]
        gramian = rows @ rows.T
        weights = min_norm_weights(gramian, tolerance=1e-12, max_iters=100_000)
        scaled = (gramian / gramian.max()).numpy()
        reference = qpsolvers.solve_qp(
            scaled + 1e-12 * np.eye(tasks),
            np.zeros(tasks),
            A=np.ones((1, tasks)),
            b=np.ones(1),
            lb=np.zeros(tasks),
            solver="quadprog",
        )
        ours, theirs = (float(w @ scaled @ w) for w in (weights.numpy(), reference))
        assert float(weights.sum()) == pytest.approx(1)
        assert weights.min() >= 0
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_the_min_norm_point_of_two_gradients_is_the_known_one() -> None:
    """Orthogonal gradients of lengths 1 and 2: weights 4/5 and 1/5."""
    weights = min_norm_weights(torch.tensor([[1.0, 0.0], [0.0, 4.0]]), 1e-12, 1000)
    assert weights.tolist() == pytest.approx([0.8, 0.2])


def test_gradients_of_zero_are_weighed_alike() -> None:
    assert min_norm_weights(torch.zeros(4, 4), 1e-9, 10).tolist() == [0.25] * 4


def losses_of(name: str) -> tuple[Losses, object]:
    learner = build(name)
    body = learner.model.body
    assert isinstance(body, PartitionedNetwork)
    x, criterion = batch(0)
    run = learner.model.shared(x)
    features = [run.features(task) for task in range(3)]
    values = [criterion(t, head(features[t])) for t, head in enumerate(learner.model.heads)]
    return Losses(torch.stack(values), features, body), learner.balancer


def test_mgda_looks_at_the_shared_features() -> None:
    """The weights minimise the norm of the combined gradient there, so no vertex is shorter."""
    losses, balancer = losses_of("mgda")
    rows = losses.feature_gradients()
    combined = balancer.weights(losses) @ rows
    assert combined.norm() <= rows.norm(dim=1).min() + 1e-6
    assert all(float(combined @ row) >= float(combined @ combined) - 1e-9 for row in rows)


def test_pcgrad_projects_off_conflicting_gradients() -> None:
    """Its definition on two tasks: gᵢ − (gᵢ·gⱼ / ‖gⱼ‖²)·gⱼ wherever gᵢ·gⱼ < 0, then the sum."""
    losses, balancer = losses_of("pcgrad")
    parameters = [p for p in losses.network.parameters() if p.requires_grad]
    base = losses.values
    conflicting = torch.stack([base[0] + 0.3 * base[1], 0.4 * base[1] - base[0]])
    pair = Losses(conflicting, losses.features[:2], losses.network)
    one, two = pair.gradients(parameters)
    assert one @ two < 0
    expected = one - (one @ two) / (two @ two) * two + two - (one @ two) / (one @ one) * one
    weights = balancer.weights(pair)
    assert torch.allclose(weights @ torch.stack([one, two]), expected, atol=1e-5)
