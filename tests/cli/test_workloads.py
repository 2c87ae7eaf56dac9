import json
from collections.abc import Callable
from pathlib import Path

import pytest

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
