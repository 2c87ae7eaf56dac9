from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from mrtune.nn import resnet18, segnet
from mrtune.roaming import Plan, Roamer
from mrtune.roaming.forecast import forecast
from mrtune.roaming.layouts import LAYOUTS


@pytest.mark.parametrize("plan", [{"delta": 0.1}, {"finish_at": 7.5}, {"delta": 0.3, "r": 0.4}])
@pytest.mark.parametrize("p", [0.0, 0.3, 0.8, 1.0])
def test_the_forecast_is_what_the_roamer_does(p: float, plan: dict) -> None:
    units = {"a": 16, "b": 64, "c": 40}
    rule = Plan(batches_per_epoch=20, **plan)
    moving = Roamer.start(units, 8, p, rule, torch.Generator().manual_seed(0))
    for epoch in (0, 1, 4):
        moving.advance(epoch * 20)
        assert forecast(units, 8, p, rule, epoch).done == pytest.approx(moving.completion)
    assert forecast(units, 8, p, rule).end == moving.end
    assert forecast(units, 8, p, rule).done == 1


@given(
    p=st.floats(0.2, 1),
    span=st.floats(0.001, 30),
    batches=st.integers(1, 700),
    by_end=st.booleans(),
)
def test_at_its_end_the_plan_is_done(p: float, span: float, batches: int, by_end: bool) -> None:
    plan = {"finish_at" if by_end else "delta": span}
    assert forecast({"a": 64, "b": 512}, 8, p, Plan(batches_per_epoch=batches, **plan)).done == 1


@pytest.mark.parametrize(("name", "build"), [("resnet18", resnet18), ("segnet", segnet)])
def test_layouts_are_those_of_the_networks(name: str, build: Callable[[], nn.Module]) -> None:
    convolutions = {
        n: m.out_channels for n, m in build().named_modules() if isinstance(m, nn.Conv2d)
    }
    assert LAYOUTS[name] == convolutions
