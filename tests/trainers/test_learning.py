"""Workloads learn something: they beat what can be said without looking at the picture."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrtune.data import open_celeba, open_fashion, roots
from mrtune.data.generate import generate
from mrtune.data.prepared import Prepared
from mrtune.training.resolve import build_trainer, load_trainer

pytestmark = pytest.mark.slow


def always_yes(data: Prepared, split: str) -> float:
    """The macro F of saying yes to every attribute: 2q / (1 + q) at a base rate of q."""
    rates = data.arrays["label"][data.splits[split]].mean(axis=0)
    return float(np.mean(2 * rates / (1 + rates)))


def prior(data: Prepared, split: str) -> float:
    """The macro accuracy of each attribute's more frequent answer in train."""
    train, shown = (data.arrays["label"][data.splits[s]] for s in ("train", split))
    return float(np.mean(shown == (train.mean(axis=0) > 0.5)))


def train(name: str, **config: Any) -> dict[str, float]:
    trainer = build_trainer(load_trainer(name), config, seed=0, device="cpu")
    while not trainer.finished:
        trainer.step()
    return trainer.evaluate("val")


def test_fashion_learns() -> None:
    data = open_fashion()
    metrics = train("fashion", epochs=3, finish_at=2, report_every=3)
    assert metrics["f_score"] > always_yes(data, "val") + 0.15
    assert metrics["accuracy"] > prior(data, "val") + 0.1


def celeba_root(tmp_path: Path) -> Path:
    """The real images where they are at hand, else drawn ones."""
    found = roots.find("celeba")
    if found is None:
        found = tmp_path / "celeba"
        generate("celeba", found, n=600)
    return found


def test_celeba_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "cache"))
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
        report_every=40,
    )
    assert metrics["f_score"] > always_yes(data, "val") + 0.02
    assert metrics["accuracy"] > prior(data, "val") + 0.03
