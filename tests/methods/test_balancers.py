"""Known answers of the methods beyond the paper: the rules, as our learners call them."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mrtune.methods.balanced import Balancer, Losses
from tests.methods.problems import build


def balancer(name: str, **parameters: Any) -> Balancer:
    found: Balancer = build(name, **parameters).balancer  # type: ignore[attr-defined]
    return found


def with_values(*values: float) -> Losses:
    """A batch of which only the losses are known."""
    return Losses(torch.tensor(values), [], SimpleNamespace())  # type: ignore[arg-type]


def with_gradients(*rows: list[float]) -> Losses:
    """A batch whose tasks have these gradients."""
    network = nn.Module()
    network.theta = nn.Parameter(torch.zeros(len(rows[0])))
    return Losses(1 + torch.tensor(rows) @ network.theta, [], network)  # type: ignore[arg-type]


def ratio(weights: Tensor) -> float:
    return float(weights[0] / weights[1])


def test_uncertainty_weights_settle_at_the_inverse_of_the_losses() -> None:
    """The minimum of Σ l·exp(−s) + s has exp(−s) = 1 / l."""
    rule = balancer("uw", weight_lr=0.05)
    for _ in range(400):
        weights = rule.weights(with_values(1.0, 4.0, 2.0))
    assert ratio(weights) == pytest.approx(4.0, rel=0.02)


def test_dwa_weighs_by_the_rate_of_the_last_two_epochs() -> None:
    """Rates 1/2 and 1: weights in the ratio exp(0.5 / temperature) : exp(1 / temperature)."""
    rule = balancer("dwa", temperature=2.0)
    for values in ([2.0, 2.0, 2.0], [1.0, 2.0, 2.0]):
        rule.weights(with_values(*values))
        rule.epoch_ended()
    weights = rule.weights(with_values(1.0, 1.0, 1.0))
    assert ratio(weights) == pytest.approx(math.exp((0.5 - 1) / 2), rel=1e-5)


def test_famo_starts_at_the_inverse_of_the_losses_and_then_helps_the_slow_task() -> None:
    rule = balancer("famo", weight_lr=0.1)
    before = ratio(rule.weights(with_values(1.0, 4.0, 2.0)))
    assert before == pytest.approx(4.0, rel=1e-3)
    rule.stepped(lambda: torch.tensor([0.5, 4.0, 2.0]))
    assert ratio(rule.weights(with_values(1.0, 4.0, 2.0))) < before


def test_cagrad_without_a_radius_is_the_average() -> None:
    losses = with_gradients([1.0, 0.0], [-0.5, 2.0])
    assert balancer("cagrad", c=0.0).weights(losses).tolist() == pytest.approx([0.5, 0.5])


def test_fairgrad_of_orthogonal_gradients_weighs_by_their_inverse_length() -> None:
    """At α = 1 the weights solve G·w = 1 / w."""
    weights = balancer("fairgrad").weights(with_gradients([1.0, 0.0], [0.0, 4.0]))
    assert ratio(weights) == pytest.approx(4.0, rel=1e-3)


def test_aligned_mtl_gives_orthogonal_gradients_one_length() -> None:
    weights = balancer("aligned").weights(with_gradients([1.0, 0.0], [0.0, 4.0]))
    assert ratio(weights) == pytest.approx(4.0, rel=1e-3)


def test_imtl_g_projects_alike_on_every_gradient() -> None:
    rows = torch.tensor([[1.0, 0.0, 0.5], [0.5, 3.0, 0.0], [0.0, 1.0, 2.0]])
    combined = balancer("imtl-g").weights(with_gradients(*rows.tolist())) @ rows
    projections = (rows / rows.norm(dim=1, keepdim=True)) @ combined
    assert projections.tolist() == pytest.approx([float(projections[0])] * 3, rel=1e-3)


def test_upgrad_averages_the_gradients_projected_off_their_conflict() -> None:
    one, two = torch.tensor([1.0, 0.0]), torch.tensor([-1.0, 1.0])
    projected = one - (one @ two) / (two @ two) * two + two - (one @ two) / (one @ one) * one
    weights = balancer("upgrad").weights(with_gradients(one.tolist(), two.tolist()))
    combined = weights @ torch.stack([one, two])
    assert combined.tolist() == pytest.approx((projected / 2).tolist(), abs=1e-3)
