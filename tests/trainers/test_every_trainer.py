"""Every workload with every method, new files of either kind included."""

import math
from pathlib import Path
from typing import Any

import pytest

from mrtune.data.generate import GENERATORS
from mrtune.methods import METHODS
from mrtune.training import Training
from mrtune.training.resolve import build_trainer, load_trainer, trainer_names

pytestmark = pytest.mark.slow

# What makes a workload small enough to be tried with all methods; a new one runs as it is.
SMALL: dict[str, dict[str, Any]] = {
    "celeba": {"width": 2, "size": 16, "batch_size": 8},
    "cityscapes": {"width": 1, "shrink": 4, "batch_size": 2},
    "fashion": {"width": 2, "batch_size": 8},
    "nyuv2": {"width": 1, "shrink": 8, "batch_size": 2},
}
NAMES = trainer_names()


def small(name: str, data: Path, **config: Any) -> Training:
    root = {"root": str(data / name)} if name in GENERATORS else {}
    settings = SMALL.get(name, {}) | root | {"epochs": 1} | config
    trainer = build_trainer(load_trainer(name), settings, seed=0, device="cpu")
    assert isinstance(trainer, Training)
    return trainer


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
def test_a_few_steps_of_every_method(name: str, method: str, drawn_data: Path) -> None:
    trainer = small(name, drawn_data, method=method)
    for iteration in range(2):
        losses = trainer._train(trainer.batches.at(iteration))
        assert losses.shape == (len(trainer.workload.tasks),)
        assert losses.isfinite().all()


@pytest.mark.parametrize("name", NAMES)
def test_a_report_has_the_metrics_of_the_paper(name: str, drawn_data: Path) -> None:
    metrics = {
        "celeba": {"precision", "recall", "f_score", "accuracy", "f/Smiling"},
        "fashion": {"precision", "recall", "f_score", "accuracy"},
        "cityscapes": {"miou", "pixel_accuracy", "depth_abs_error", "depth_rel_error"},
        "nyuv2": {"miou", "depth_rel_error", "normals_mean_angle", "normals_median_angle"},
    }
    trainer = small(name, drawn_data)
    report = trainer.step()
    assert trainer.finished
    assert metrics.get(name, set()) <= report.keys()
    assert math.isfinite(report["loss"])
    assert trainer.evaluate("val").keys() == trainer.evaluate("held_out").keys()


@pytest.mark.parametrize(("name", "tasks"), [("celeba", 8), ("cityscapes", 8), ("nyuv2", 15)])
def test_workloads_have_as_many_tasks_as_in_the_paper(
    name: str, tasks: int, drawn_data: Path
) -> None:
    assert len(small(name, drawn_data).workload.tasks) == tasks


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_a_sound_configuration(name: str, drawn_data: Path) -> None:
    module = load_trainer(name)
    assert module.DEFAULTS["method"] in METHODS
    for method in getattr(module, "METHOD_DEFAULTS", {}):
        small(name, drawn_data, method=method)


def test_giving_one_clock_drops_the_default_of_the_other(drawn_data: Path) -> None:
    small("celeba", drawn_data, finish_at=3)
    small("fashion", drawn_data, delta=0.2)
