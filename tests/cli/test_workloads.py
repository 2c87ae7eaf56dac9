import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import trainers
from mrtune.training.resolve import trainer_names
from tests.conftest import Outcome


def test_every_trainer_is_listed_with_the_state_of_its_data(
    mrtune: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nyuv2" / "train" / "image").mkdir(parents=True)
    monkeypatch.setenv("MRTUNE_DATA", str(tmp_path))
    code, out, _ = mrtune("workloads", "--json")
    found = {line["name"]: line for line in map(json.loads, out.splitlines())}
    assert code == 0
    assert list(found) == trainer_names() == ["celeba", "cityscapes", "fashion", "nyuv2"]
    assert found["fashion"]["data"] == "ships with mrtune"
    assert found["nyuv2"]["data"] == str(tmp_path / "nyuv2")
    assert found["celeba"]["data"] is None
    text = mrtune("workloads").out
    assert "data: not found (`mrtune data` says where to get it)" in text
    assert str(tmp_path / "nyuv2") in text


def test_a_new_trainer_with_data_of_its_own_is_listed(
    mrtune: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text('"""Mine."""\n\ndef build(config, seed, device): ...\n')
    monkeypatch.setattr(trainers, "__path__", [*trainers.__path__, str(tmp_path)])
    code, out, err = mrtune("workloads", "--json")
    sys.modules.pop("trainers.mine")
    assert (code, err) == (0, "")
    mine = next(line for line in map(json.loads, out.splitlines()) if line["name"] == "mine")
    assert mine["about"] == "Mine."
    assert mine["data"] == "known to its trainer alone"
