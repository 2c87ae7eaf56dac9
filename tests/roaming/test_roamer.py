import io

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mrtune.errors import ParameterError
from mrtune.roaming import Plan, Roamer
from tests.roaming.drawn import Layer, layers

UNITS = {"narrow": 8, "wide": 32}
DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()


def roamer(seed: int = 0, device: str = "cpu", **plan: float) -> Roamer:
    generator = torch.Generator(device).manual_seed(seed)
    return Roamer.start(UNITS, 4, 0.5, Plan(batches_per_epoch=10, **plan), generator)


def through_a_file(state: dict) -> dict:
    """As a checkpoint does it: only plain data may be in the state."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    restored: dict = torch.load(buffer, weights_only=True)
    return restored


@given(layers, st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=60)
def test_a_restored_roamer_goes_on_bit_for_bit(layer: Layer, stop: int, more: int) -> None:
    original, filters = layer.start(), layer.filters()
    original.advance(stop, filters)
    restored = Layer(**(vars(layer) | {"seed": layer.seed + 1})).start()
    restored.load_state_dict(through_a_file(original.state_dict()))
    for iteration in range(stop, stop + more):
        original.advance(iteration, filters)
        restored.advance(iteration, filters)
    assert restored.completion == original.completion
    assert restored.relaxed == original.relaxed
    for name, state in original.layers.items():
        assert torch.equal(state.active, restored.layers[name].active)
        assert torch.equal(state.visited, restored.layers[name].visited)
        assert state.step == restored.layers[name].step
    assert torch.equal(original.generator.get_state(), restored.generator.get_state())


@pytest.mark.parametrize("plan", [{"delta": 0.2}, {"finish_at": 2.5, "r": 0.8}])
def test_a_restored_network_goes_on_bit_for_bit(plan: dict) -> None:
    original, restored = roamer(**plan), roamer(seed=1, **plan)
    original.advance(7)
    restored.load_state_dict(through_a_file(original.state_dict()))
    for iteration in range(8, 40):
        ours, theirs = restored.advance(iteration), original.advance(iteration)
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_a_foreign_state_is_refused() -> None:
    plan = Plan(batches_per_epoch=10, delta=1)
    other = Roamer.start({"narrow": 8, "wide": 16}, 4, 0.5, plan, torch.Generator())
    with pytest.raises(ParameterError, match="state must be of the layers"):
        roamer(delta=0.1).load_state_dict(other.state_dict())


def test_p_must_be_given_for_every_layer() -> None:
    plan = Plan(batches_per_epoch=10, delta=1)
    with pytest.raises(ParameterError, match=r"p must be given for the layers .*, got \['wide'\]"):
        Roamer.start(UNITS, 4, {"wide": 0.5}, plan, torch.Generator())


def test_a_saved_state_does_not_move_on() -> None:
    moving = roamer(delta=0.1)
    saved = moving.state_dict()
    before = saved["layers"]["wide"]["active"].clone()
    moving.advance(5)
    assert torch.equal(saved["layers"]["wide"]["active"], before)
    assert saved["layers"]["wide"]["step"] == 0


def test_the_first_swap_comes_after_one_full_interval() -> None:
    moving = roamer(delta=0.3)
    assert [bool(moving.advance(iteration)) for iteration in (1, 2, 3, 4)] == [
        False,
        False,
        True,
        False,
    ]


def test_a_narrow_layer_freezes_while_a_wide_one_goes_on() -> None:
    moving = roamer(delta=0.1)
    moving.advance(4)
    assert set(moving.advance(5)) == {"wide"}
    assert moving.layers["narrow"].visited.all()
    moving.advance(16)
    assert moving.advance(17) == {}


def test_completion_is_the_share_of_all_planned_swaps() -> None:
    moving = roamer(delta=0.1)
    assert moving.completion == 0
    moving.advance(4)
    assert moving.completion == (4 + 4) / (4 + 16)
    moving.advance(100)
    assert moving.completion == 1
    assert roamer(delta=0.1, r=0.0).completion == 1


def test_layers_end_together_with_finish_at() -> None:
    moving = roamer(finish_at=2.0)
    moving.advance(19)
    assert {name: layer.step for name, layer in moving.layers.items()} == {"narrow": 3, "wide": 15}
    moving.advance(20)
    assert moving.completion == 1
    assert moving.end == 2.0


def test_p_can_vary_from_layer_to_layer() -> None:
    plan = Plan(batches_per_epoch=10, delta=1)
    ratio = {"narrow": 1.0, "wide": 0.25}
    moving = Roamer.start(UNITS, 4, ratio, plan, torch.Generator().manual_seed(0))
    held = {name: int(layer.active.sum(dim=1)[0]) for name, layer in moving.layers.items()}
    assert held == {"narrow": 8, "wide": 8}


def test_an_unknown_selection_is_refused() -> None:
    plan = Plan(batches_per_epoch=10, delta=1)
    with pytest.raises(
        ParameterError, match="selection must be one of uniform, cosine, got 'best'"
    ):
        Roamer({}, plan, torch.Generator(), selection="best")


@pytest.mark.parametrize("device", DEVICES)
def test_roaming_stays_on_its_device(device: str) -> None:
    moving = roamer(device=device, delta=0.1)
    moving.advance(3)
    restored = roamer(device=device, delta=0.1)
    restored.load_state_dict(through_a_file(moving.state_dict()))
    assert restored.layers["wide"].active.device.type == device
    assert torch.equal(restored.layers["wide"].active, moving.layers["wide"].active)
