"""docs/results.md out of stored studies."""

import json
from pathlib import Path
from typing import Any

import pytest

from docs import results
from mrtune.search.importing import import_study
from mrtune.search.space import load_space
from mrtune.study import close_storage, open_storage
from tests.browser import chromium
from tests.conftest import missing

NAME = "paper-p-fashion-small"
EPOCHS = [float(epoch) for epoch in range(1, 9)]


def trained(number: int, config: int, seed: int, params: dict[str, Any]) -> dict[str, Any]:
    """A training by which roaming gains 0.01."""
    score = 0.8 + params["p"] / 10 + 0.01 * (params["method"] == "mr") + seed / 1000 + number / 1e5
    return {
        "number": number,
        "state": "complete",
        "params": params,
        "values": [score],
        "config": config,
        "seed": seed,
        "default": False,
        "setting": {**params, "epochs": 8},
        "curves": {
            "epoch": [float(n) for n in range(1, 9)],
            "f_score": [score * n / 8 for n in range(1, 9)],
        },
        "metrics": {"f_score": score, "val/f_score": score - 0.1, "val/accuracy": 0.9},
        "rungs": [],
        "failure": None,
        "retries": 0,
        "place": {"host": "secret-host"},
        "network": {},
        "provenance": {"trainer": "/home/secret/fashion.py"},
        "started": "2026-01-01T12:00:00",
        "ended": "2026-01-01T12:01:00",
        "seconds": 60.0,
    }


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A storage with the finished grid over p."""
    space = load_space("fashion_p")
    trials = [
        trained(3 * place + seed, 3 * place, seed, point)
        for place, point in enumerate(space.grid())
        for seed in range(3)
    ]
    settings = {"trials": 10, "seed": 0, "grace": 1.0, "runs": "/home/secret/runs"}
    content = {"name": NAME, "space": space.to_dict(), "settings": settings, "trials": trials}
    storage = open_storage(str(tmp_path / "paper.db"))
    import_study(storage, content)
    close_storage(storage)
    return tmp_path / "paper.db"


def test_what_is_collected_says_nothing_of_the_machine(stored: Path, tmp_path: Path) -> None:
    (file,) = results.collect(str(stored), tmp_path / "results")
    text = file.read_text()
    assert "secret" not in text
    assert len(json.loads(text)["trials"]) == 30
    assert len(text.splitlines()) == 32  # one for each trial: changes can be read
    assert results.read(file).best is not None


@pytest.mark.slow
def test_the_page_has_the_figure_the_table_and_the_verdict(stored: Path, tmp_path: Path) -> None:
    if chromium.find() is None:
        missing("Chromium")
    folder = tmp_path / "results"
    results.collect(str(stored), folder)
    results.write(folder, tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text()
    assert "### Does roaming beat a fixed partition, at every p?" in text
    command = "mrtune paper run p --workload fashion --scale small --seed 0"
    assert f"`{command}`: 30 trainings of 8 epochs, seeds 0, 1, 2, 0.5 hours of training" in text
    assert "Roaming is better at 5 of 5 p" in text
    assert "| 0.5 | 0.76" in text
    assert "| p | partition | epoch 3 | epoch 5 | epoch 8 | in the last third |" in text
    assert "| 0.5 | fixed | 0.3" in text
    assert "Accuracy on the validation split" in text
    picture = f"results/{NAME}-p-val-roaming_p.png"
    assert f"]({picture})" in text
    assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
