"""What holds for each method, new ones included."""

import io
import sys

import pytest
import torch

from mrtune.errors import UsageError
from mrtune.methods import BEYOND, METHODS, PAPER
from tests.methods.problems import Descent, batch, build, learn, same_state, toy_setup

STEPS = pytest.mark.parametrize("alternating", [False, True], ids=["joint", "alternating"])
EVERY = pytest.mark.parametrize("name", METHODS)


@pytest.mark.slow
@EVERY
@STEPS
def test_it_learns(name: str, alternating: bool) -> None:
    learner = build(name, toy_setup(alternating=alternating))
    losses = learn(learner, range(60), Descent(learner.model, lr=0.1))
    early, late = (float(torch.stack(part).mean()) for part in (losses[:6], losses[-6:]))
    assert late < 0.8 * early


@EVERY
@STEPS
def test_a_batch_takes_one_step_or_one_for_each_task(name: str, alternating: bool) -> None:
    learner = build(name, toy_setup(alternating=alternating))
    descent = Descent(learner.model)
    losses = learner.update(*batch(0), descent)
    assert descent.steps == (3 if alternating else 1)
    assert losses.shape == (3,)
    assert not losses.requires_grad


@EVERY
def test_a_restored_learner_goes_on_bit_for_bit(name: str) -> None:
    original = build(name)
    learn(original, range(9))
    buffer = io.BytesIO()
    saved = {"model": original.model.state_dict(), "learner": original.state_dict()}
    torch.save(saved, buffer)
    buffer.seek(0)
    state = torch.load(buffer, weights_only=True)
    restored = build(name, toy_setup(seed=5))
    restored.model.load_state_dict(state["model"])
    restored.load_state_dict(state["learner"])
    first, second = learn(original, range(9, 15)), learn(restored, range(9, 15))
    assert torch.equal(torch.stack(first), torch.stack(second))
    assert same_state(original.model, restored.model)
    assert original.metrics() == restored.metrics()


@EVERY
def test_the_seed_decides_and_the_global_generator_is_left_alone(name: str) -> None:
    before = torch.get_rng_state()
    one, same, other = build(name), build(name), build(name, toy_setup(seed=1))
    losses = [torch.stack(learn(learner, range(6))) for learner in (one, same, other)]
    assert torch.equal(losses[0], losses[1])
    assert not torch.equal(losses[0], losses[2])
    assert torch.equal(before, torch.get_rng_state())


@EVERY
def test_it_says_in_a_line_what_it_does(name: str) -> None:
    method = METHODS[name]
    assert (method.__doc__ or "").splitlines()[0].endswith(".")
    assert all(field.description for field in method.model_fields.values())


def test_the_papers_methods_are_there() -> None:
    assert [method.name for method in PAPER] == [
        "mtl",
        "stl",
        "gradnorm",
        "mgda",
        "se",
        "tr",
        "mr",
    ]


@pytest.mark.parametrize("method", BEYOND)
def test_without_torchjd_its_methods_say_how_to_get_it(
    method: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("torchjd.aggregation", "torchjd.scalarization"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=r"pip install 'mrtune\[balancers\]'"):
        build(method.name)
