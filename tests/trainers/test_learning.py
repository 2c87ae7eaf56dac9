"""Workloads learn something: they beat what can be said without looking at the picture."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mrtune.data import open_celeba, open_cityscapes, open_fashion, open_nyuv2, roots
from mrtune.data.generate import generate
from mrtune.training.resolve import build_trainer, load_trainer
from tests.trainers.baselines import (
    always_yes,
    constant_depth_error,
    constant_normal_angle,
    everywhere_miou,
    majority_miou,
    prior,
)

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "cache"))


def train(name: str, **config: Any) -> dict[str, float]:
    """Train to the end without a report on the way; return the metrics on val."""
    settings = {"report_every": config["epochs"], **config}
    trainer = build_trainer(load_trainer(name), settings, seed=0, device="cpu")
    while not trainer.finished:
        trainer.step()
    return trainer.evaluate("val")


def test_fashion_learns() -> None:
    data = open_fashion()
    metrics = train("fashion", epochs=3, finish_at=2)
    assert metrics["f_score"] > always_yes(data, "val") + 0.15
    assert metrics["accuracy"] > prior(data, "val") + 0.1


def celeba_root(tmp_path: Path) -> Path:
    """The real images where they are at hand, else drawn ones."""
    found = roots.find("celeba")
    if found is None:
        found = tmp_path / "celeba"
        generate("celeba", found, n=600)
    return found


def test_celeba_learns(tmp_path: Path) -> None:
    root = celeba_root(tmp_path)
    data = open_celeba(root, size=32)
    metrics = train(
        "celeba",
        root=str(root),
        method="mtl",  # one pass for all tasks: the quickest way to learn something
        size=32,
        width=16,
        batch_size=64,
        lr=1e-3,
        epochs=8 if len(data) > 2000 else 40,
    )
    assert metrics["f_score"] > always_yes(data, "val") + 0.02
    assert metrics["accuracy"] > prior(data, "val") + 0.03


def nyuv2_root(tmp_path: Path) -> Path:
    """The real rooms where they are at hand, laid out or packed, else drawn ones."""
    found = roots.find("nyuv2")
    if found is not None:
        return found
    folder = tmp_path / "nyuv2"
    packed = [root / "nyuv2" / "unpack.py" for root in roots.search_path()]
    unpack = next((script for script in packed if script.exists()), None)
    if unpack is None:
        generate("nyuv2", folder, n=120)
    else:
        subprocess.run([sys.executable, unpack, folder], check=True, timeout=60)
    return folder


def test_nyuv2_learns(tmp_path: Path) -> None:
    root = nyuv2_root(tmp_path)
    data = open_nyuv2(root)
    metrics = train(
        "nyuv2",
        root=str(root),
        method="mtl",
        shrink=8,
        width=16,
        batch_size=8,
        lr=3e-3,
        epochs=20,
        schedule="cosine",
    )
    assert metrics["miou"] > majority_miou(data, 13, "val", shrink=8) + 0.01
    assert metrics["depth_abs_error"] < constant_depth_error(data, "val", shrink=8) - 0.03
    assert metrics["normals_mean_angle"] < constant_normal_angle(data, "val", shrink=8) - 1


def test_cityscapes_learns(tmp_path: Path) -> None:
    """On drawn streets: the real ones may not be passed on."""
    generate("cityscapes", tmp_path / "streets", n=120)
    data = open_cityscapes(tmp_path / "streets")
    metrics = train(
        "cityscapes",
        root=str(tmp_path / "streets"),
        shrink=4,
        width=4,
        batch_size=8,
        lr=3e-3,
        epochs=12,
        p=0.6,
        finish_at=5,
        schedule="cosine",
    )
    assert metrics["miou"] > everywhere_miou(data, 7, "val", shrink=4) + 0.03
    assert metrics["miou"] > majority_miou(data, 7, "val", shrink=4) + 0.1
    assert metrics["depth_abs_error"] < 0.75 * constant_depth_error(data, "val", shrink=4)
