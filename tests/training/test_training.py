import math
from typing import Any

import pytest
import torch

from mrtune.errors import Diverged, UsageError
from mrtune.methods import METHODS
from mrtune.training import Training
from tests.training.toy import ATTRIBUTES, Pictures, Toy

TIMING = ("seconds", "images_per_s", "peak_memory_mb")


def training(seed: int = 0, workload: Toy | None = None, **config: Any) -> Training:
    settings = {"epochs": 2, "batch_size": 16, "lr": 1e-2, "p": 0.5, "delta": 0.25}
    if config.get("method", "mr") != "mr":
        settings = {k: v for k, v in settings.items() if k not in {"p", "delta"}}
    return Training(workload or Toy(), settings | config, seed)


def finish(trainer: Training) -> list[dict[str, float]]:
    reports = []
    while not trainer.finished:
        reports.append(trainer.step())
    return reports


def without_times(report: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in report.items() if name not in TIMING}


def test_a_report_says_it_all() -> None:
    report = training().step()
    losses = {f"loss/{name}" for name in ATTRIBUTES}
    roaming = {"roaming/completion", "roaming/coverage_relaxed"}
    assert set(report) == {"epoch", "loss", "accuracy", *losses, *roaming, *TIMING}
    assert report["epoch"] == 1.0
    assert report["loss"] == pytest.approx(sum(report[name] for name in losses))
    assert report["roaming/completion"] == 0.5  # of four swaps two, and the third is due
    assert report["images_per_s"] > 0
    assert report["peak_memory_mb"] > 10


def test_it_learns() -> None:
    assert finish(training(epochs=8))[-1]["accuracy"] > 0.85


@pytest.mark.parametrize(
    ("epochs", "report_every", "reported"),
    [
        (2, 1, [1, 2]),
        (1, 0.5, [0.5, 1]),
        (1.5, 1, [1, 1.5]),
        (0.5, 1, [0.5]),
        (1, 0.001, [1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1]),
    ],
)
def test_reports_come_at_fractions_of_epochs(
    epochs: float, report_every: float, reported: list[float]
) -> None:
    reports = finish(training(epochs=epochs, report_every=report_every))
    assert [report["epoch"] for report in reports] == pytest.approx(reported)


def test_a_seed_decides_everything_and_nothing_else_does() -> None:
    before = torch.get_rng_state()
    one, same, other = (finish(training(seed)) for seed in (0, 0, 1))
    assert [without_times(r) for r in one] == [without_times(r) for r in same]
    assert without_times(one[-1]) != without_times(other[-1])
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("method", METHODS)
def test_a_restored_training_goes_on_bit_for_bit(method: str) -> None:
    """Mid-epoch: after 0.5 of 1.5 epochs."""
    original = training(method=method, epochs=1.5, report_every=0.5)
    original.step()
    state = original.state()
    expected = [without_times(report) for report in finish(original)]
    restored = training(method=method, epochs=1.5, report_every=0.5, seed=0)
    restored.restore(state)
    assert [without_times(report) for report in finish(restored)] == expected
    ours, theirs = (t.learner.model.state_dict() for t in (restored, original))
    assert all(torch.equal(ours[key], theirs[key]) for key in theirs)


@pytest.mark.parametrize("method", ["mr", "stl", "se", "dwa"])
def test_evaluations_leave_no_trace_in_training(method: str) -> None:
    settings = {"method": method, "report_every": 0.3}
    never = training(method=method, report_every=99, norm_batches=0)
    often = training(**settings, norm_batches=4)
    for trainer in (never, often):
        finish(trainer)
    ours, theirs = (t.learner.model.state_dict() for t in (often, never))
    assert all(torch.equal(ours[key], theirs[key]) for key in theirs)


@pytest.mark.parametrize("execution", ["compact", "dense"])
def test_an_evaluation_has_the_statistics_of_the_network_as_it_is(execution: str) -> None:
    """After swaps, running statistics are of networks that are gone."""
    trainer = training(execution=execution, batch_size=96, epochs=3, delta=1, norm_batches=1)
    finish(trainer)
    x, _ = trainer.workload.splits["train"].batch(torch.arange(96))
    model = trainer.learner.model
    with torch.no_grad(), trainer._norms():
        precise = torch.stack(model(x))
    model.train()
    with torch.no_grad():
        by_batch = torch.stack(model(x))
    model.eval()
    with torch.no_grad():
        running = torch.stack(model(x))
    # The batch that is evaluated is the one whose statistics were taken, unbiased or not.
    torch.testing.assert_close(precise, by_batch, rtol=0, atol=1e-3)
    assert not torch.allclose(running, by_batch, rtol=0, atol=1e-2)


def test_a_swap_that_is_due_at_a_report_comes_after_it() -> None:
    trainer = training(delta=1, report_every=1)
    before = trainer.learner.model.body.active
    assert trainer.step()["roaming/completion"] == 0
    assert all(
        torch.equal(rows, before[n]) for n, rows in trainer.learner.model.body.active.items()
    )
    assert trainer.step()["roaming/completion"] == 0.25


def test_splits_but_train_and_held_out_are_left_alone_until_the_end() -> None:
    toy = Toy()
    for split in ("val", "test"):
        toy.splits[split] = Sealed()
    trainer = training(workload=toy)
    finish(trainer)
    with pytest.raises(AssertionError, match="unsealed"):
        trainer.evaluate("test")


class Sealed(Pictures):
    def __init__(self) -> None:
        super().__init__(4, seed=0)

    def batch(self, positions: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        raise AssertionError(f"unsealed at {positions}")


def test_a_state_is_a_copy() -> None:
    trainer = training(report_every=0.5)
    trainer.step()
    state = trainer.state()
    before = {name: value.clone() for name, value in state["model"].items()}
    moments = state["stepper"]["adam"]["state"][0]["exp_avg"].clone()
    trainer.step()
    assert all(torch.equal(before[name], state["model"][name]) for name in before)
    assert torch.equal(moments, state["stepper"]["adam"]["state"][0]["exp_avg"])


def test_a_loss_that_is_not_finite_ends_the_training_with_its_name() -> None:
    toy = Toy()
    toy.splits["train"].images[:] = float("inf")
    with pytest.raises(Diverged, match=r"the loss of bright is nan, red is nan, .* at epoch 0\.00"):
        training(workload=toy).step()


@pytest.mark.parametrize("schedule", ["constant", "cosine", "linear"])
def test_the_schedule_sets_the_learning_rate(schedule: str) -> None:
    trainer = training(schedule=schedule, lr=1.0)
    rates = []
    for done in (0.0, 0.5, 1.0):
        trainer.stepper.set_progress(done)
        rates.append(trainer.stepper._adam.param_groups[0]["lr"])
    expected = {"constant": [1, 1, 1], "cosine": [1, 0.5, 0], "linear": [1, 0.5, 0]}
    assert rates == pytest.approx(expected[schedule])


def test_clipping_bounds_the_gradients() -> None:
    trainer = training(clip=1e-3)
    model = trainer.learner.model
    total = sum(output.sum() for output in model(trainer.workload.splits["train"].images[:8]))
    trainer.stepper.backward(total)
    norms: list[float] = []

    def spy(*_: Any) -> None:
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        norms.append(math.sqrt(sum(float(g.square().sum()) for g in gradients)))

    trainer.stepper._adam.register_step_pre_hook(spy)
    trainer.stepper.step()
    assert norms == [pytest.approx(1e-3, rel=1e-3)]


def test_weight_decay_shrinks_weights() -> None:
    plain, decayed = training(), training(weight_decay=0.5)
    finish(plain)
    finish(decayed)
    sizes = [
        sum(p.square().sum().item() for p in t.learner.model.parameters()) for t in (plain, decayed)
    ]
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("amp", ["bf16", "fp16"])
@pytest.mark.parametrize("execution", ["compact", "dense"])
@pytest.mark.parametrize("method", ["mr", "mtl", "se"])
def test_mixed_precision_trains(method: str, execution: str, amp: str) -> None:
    reports = finish(training(method=method, amp=amp, execution=execution, epochs=4))
    assert reports[-1]["loss"] < reports[0]["loss"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mr", "mtl"])
def test_a_compiled_training_equals_one_that_is_not(method: str) -> None:
    """Swaps included; to rounding, as the compiled network adds in another order."""
    plain, compiled = (
        finish(training(method=method, execution="dense", compile=compile_, epochs=1))[-1]
        for compile_ in (False, True)
    )
    assert without_times(compiled) == pytest.approx(without_times(plain), rel=1e-3)


def test_options_change_what_is_reported() -> None:
    """Three reports each: the accuracies of 48 pictures may agree once by accident."""
    options = {
        "step": "alternating",
        "norm_eval": "batch",
        "norm_batches": 0,
        "schedule": "cosine",
        "selection": "cosine",
        "init": "bernoulli",
        "batch_size": 32,
        "amp": "bf16",
    }
    plain, *others = (
        [without_times(report) for report in finish(training(epochs=3, **option))]
        for option in ({}, *({key: value} for key, value in options.items()))
    )
    same = [key for key, reports in zip(options, others, strict=True) if reports == plain]
    assert same == []


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"sigma": 0.1}, "unknown key 'sigma'; known are"),
        ({"batchsize": 8}, "unknown key 'batchsize'; did you mean 'batch_size'?"),
        ({"method": "mtl", "p": 0.5}, "unknown key 'p'"),
        ({"method": "magic"}, "method must be one of mtl, stl, .*, got 'magic'"),
        ({"p": 1.5}, "p should be less than or equal to 1, got 1.5"),
        ({"epochs": "many", "lr": 0}, "epochs should be a valid number.*; lr should be greater"),
        ({"delta": 0.1, "finish_at": 2}, "give delta or finish_at, not both"),
        ({"compile": True}, "compile must be false unless execution is dense: .*, got True"),
        ({"method": "se", "execution": "dense", "compile": True}, "compile must be false for sque"),
        ({"amp": "fp8"}, "amp should be 'none', 'bf16' or 'fp16', got 'fp8'"),
    ],
)
def test_nonsense_is_refused_by_name_rule_and_value(config: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        training(**config)
