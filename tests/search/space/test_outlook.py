from pathlib import Path

import pytest

from mrtune.errors import UsageError
from mrtune.search.space import (
    Unforeseen,
    default_grace,
    forecast_of,
    outlook_of,
    plan_warnings,
    slowest,
    typical,
)
from mrtune.training import Training
from mrtune.training.resolve import build_trainer, load_trainer
from tests.search.space.conftest import HEAD, Load
from tests.training import toy

OF_TOY = f"trainer: {toy.__file__}\nobjective: accuracy\nbudget: {{epochs: 8}}\n"
ROAMING = "params: {p: {low: 0.3, high: 0.7}, finish_at: {low: 2, high: 6}}"


@pytest.mark.parametrize(
    "text",
    [
        "params: {p: [0.4], delta: [0.5], batch_size: [16]}",
        "params: {p: [0.5], finish_at: [3]}",
        "params: {p: {shallow: [1], deep: [0.4]}, delta: [0.3], r: [0.8]}",
    ],
)
def test_the_forecast_is_what_training_does(load: Load, text: str) -> None:
    space = load(text, head=OF_TOY)
    config = typical(space)
    predicted = forecast_of(space, config)
    assert predicted is not None
    trainer = build_trainer(load_trainer(space.trainer), config, seed=0, device="cpu")
    assert isinstance(trainer, Training)
    for epoch in range(9):
        trainer.learner.advance(epoch * trainer.batches.per_epoch)
        done = trainer.learner.metrics()["roaming/completion"]
        assert predicted.completion(epoch) == pytest.approx(done)


def test_the_forecast_says_when_a_share_is_done(load: Load) -> None:
    space = load(ROAMING)
    predicted = forecast_of(space, typical(space))
    assert predicted is not None
    for share in (0.01, 0.5, 0.75, 1.0):
        epoch = predicted.epoch_of(share)
        assert predicted.completion(epoch) >= share
        assert predicted.completion(epoch - 1 / predicted.plan.batches_per_epoch) < share
    assert predicted.epoch_of(1.0) == predicted.end


def test_the_network_of_a_configuration_is_that_of_its_options(load: Load) -> None:
    space = load("params: {p: [0.5], width: [4, 8]}")
    forecasts = [forecast_of(space, {**typical(space), "width": width}) for width in (4, 8)]
    widths = [max(layer.units for layer in forecast.layers) for forecast in forecasts if forecast]
    assert widths == [32, 64]


@pytest.mark.parametrize("method", ["tr", "mtl", "stl"])
def test_what_does_not_roam_has_no_forecast(load: Load, method: str) -> None:
    space = load(f"params: {{lr: [0.1]}}\nfixed: {{method: {method}}}")
    assert forecast_of(space, typical(space)) is None
    assert plan_warnings(space) == []
    assert default_grace(space) == pytest.approx(8 / 9)


def test_the_grace_lasts_until_most_of_the_typical_plan_is_done(load: Load) -> None:
    space = load(ROAMING)
    predicted = forecast_of(space, typical(space))
    assert predicted is not None
    assert default_grace(space) == predicted.epoch_of(0.75)
    assert 2.5 < default_grace(space) < 3.5
    late = load(ROAMING, ("params.finish_at.low", 7), ("params.finish_at.high", 8))
    assert default_grace(late) == 4  # half of the budget, however late roaming ends
    soon = load(ROAMING, ("params.p", [0.9]), ("params.finish_at", [0.5]))
    assert default_grace(soon) == pytest.approx(8 / 9)


def test_a_given_grace_stays(load: Load) -> None:
    assert outlook_of(load(ROAMING, ("budget.grace", 1.5))).grace == 1.5


def test_plans_that_cannot_finish_are_told_with_the_numbers(load: Load) -> None:
    space = load("params: {p: {low: 0.3, high: 0.7}, delta: {low: 0.1, high: 0.5}, r: [0.5, 1]}")
    # 128 units in the widest layers of which a task holds 39 or 64: 89 swaps, or half of 64
    assert slowest(space) == {"epochs": 8, "p": 0.3, "delta": 0.5, "r": 1}
    at_worst, typically = plan_warnings(space)
    assert at_worst.startswith("at delta=0.5, p=0.3, r=1: roaming ends at epoch 46.8, budget 8: ")
    assert at_worst.endswith("% done")
    assert typically.startswith("at delta=0.3, p=0.5, r=0.5: roaming ends at epoch 10.1, budget 8:")
    predicted = forecast_of(space, slowest(space))
    assert predicted is not None
    assert f"{predicted.done:.0%} done" in at_worst


def test_plans_that_finish_are_not_worth_a_word(load: Load) -> None:
    assert plan_warnings(load(ROAMING)) == []


def test_shares_by_depth_are_told_as_such(load: Load) -> None:
    text = "params: {p: {shallow: [0.9], deep: [0.3]}, delta: [1]}"
    assert plan_warnings(load(text))[0].startswith("at delta=1, p=0.9 to 0.3, r=1: roaming ends")


def test_without_data_there_is_no_forecast_and_that_is_said(load: Load) -> None:
    space = load(ROAMING, ("fixed.root", "nowhere"), head=HEAD.replace("fashion", "celeba"))
    with pytest.raises(Unforeseen, match="celeba not found"):
        forecast_of(space, typical(space))
    (warning,) = plan_warnings(space)
    assert warning.startswith("no forecast of roaming: celeba not found")
    assert default_grace(space) == pytest.approx(8 / 9)
    assert outlook_of(space).end is None


def test_a_foreign_trainer_has_no_forecast_and_that_is_said(load: Load, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def build(config, seed, device):\n    return object()\n")
    space = load(ROAMING, head=OF_TOY.replace(toy.__file__, "mine.py"))
    (warning,) = plan_warnings(space)
    assert warning.endswith("mine.py does not build a mrtune.training.Training")


def test_an_unknown_key_of_a_users_trainer_is_found_before_any_trial(load: Load) -> None:
    space = load("params: {p: [0.5], finsh_at: [3]}", head=OF_TOY)
    with pytest.raises(UsageError, match="unknown key 'finsh_at'; did you mean 'finish_at'"):
        plan_warnings(space)
