import pytest
import torch

from mrtune.errors import ParameterError
from mrtune.roaming import Plan, Roamer
from mrtune.roaming.forecast import forecast
from mrtune.roaming.ratios import ratio_of_each, ratios_by_depth

UNITS = {"first": 20, "second": 40, "third": 20}


def test_ratios_go_from_shallow_to_deep_in_equal_steps() -> None:
    ratios = ratios_by_depth(list("abcde"), shallow=0.9, deep=0.1)
    assert list(ratios) == list("abcde")
    assert list(ratios.values()) == pytest.approx([0.9, 0.7, 0.5, 0.3, 0.1])


def test_the_ends_are_exact_and_a_single_layer_is_shallow() -> None:
    ratios = ratios_by_depth(["a", "b", "c", "d"], shallow=0.9, deep=0.3)
    assert (ratios["a"], ratios["d"]) == (0.9, 0.3)
    assert ratios_by_depth(["a"], 0.9, 0.3) == {"a": 0.9}


def test_equal_ends_are_one_ratio() -> None:
    plan = Plan(batches_per_epoch=10, delta=0.1)
    by_depth = ratios_by_depth(UNITS, 0.5, 0.5)
    one, other = (
        Roamer.start(UNITS, 4, p, plan, torch.Generator().manual_seed(0)) for p in (0.5, by_depth)
    )
    for name in UNITS:
        assert torch.equal(one.layers[name].active, other.layers[name].active)


def test_every_layer_holds_its_own_share() -> None:
    p = ratios_by_depth(UNITS, shallow=0.8, deep=0.4)
    plan = Plan(batches_per_epoch=10, delta=0.1)
    roamer = Roamer.start(UNITS, 4, p, plan, torch.Generator().manual_seed(0))
    held = {name: set(layer.active.sum(dim=1).tolist()) for name, layer in roamer.layers.items()}
    assert held == {"first": {16}, "second": {24}, "third": {8}}


@pytest.mark.parametrize("plan", [{"delta": 0.1}, {"finish_at": 2.5}])
def test_the_forecast_knows_of_depth(plan: dict) -> None:
    p = ratios_by_depth(UNITS, shallow=0.9, deep=0.2)
    rule = Plan(batches_per_epoch=20, **plan)
    moving = Roamer.start(UNITS, 8, p, rule, torch.Generator().manual_seed(0))
    predicted = forecast(UNITS, 8, p, rule)
    assert predicted.end == moving.end
    for epoch in (0, 1, 2, 4):
        moving.advance(epoch * 20)
        assert predicted.completion(epoch) == pytest.approx(moving.completion)


@pytest.mark.parametrize("p", [1.2, {"first": 0.5, "second": -1, "third": 0.5}])
def test_a_ratio_is_a_share(p: float | dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="p must be a number from 0 to 1"):
        ratio_of_each(UNITS, p)
