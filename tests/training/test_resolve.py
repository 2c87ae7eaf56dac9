import shutil
import sys
from pathlib import Path

import pytest

from mrtune.training.resolve import TRAVELLED, load_trainer

QUADRATIC = Path(__file__).parent.parent / "search" / "quadratic.py"


def test_a_trainer_imports_what_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    shutil.copy(QUADRATIC, tmp_path / "lies_beside.py")
    (tmp_path / "mine.py").write_text("from lies_beside import DEFAULTS, build\n")
    module = load_trainer(str(tmp_path / "mine.py"))
    assert module.DEFAULTS
    assert load_trainer(str(tmp_path / "mine.py")).build is module.build
    assert sys.path.count(str(tmp_path)) == 1


def test_what_has_travelled_counts_where_this_machine_has_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    home, travelled = tmp_path / "home", tmp_path / "travelled"
    for folder in (home, travelled):
        folder.mkdir()
        (folder / "mine.py").write_text("def build(config, seed, device): ...\n")
        (folder / "beside.py").write_text("X = 1\n")
    monkeypatch.chdir(travelled)
    monkeypatch.setenv(TRAVELLED, "{}")

    def loaded() -> Path:
        return Path(load_trainer(str(home / "mine.py")).__file__ or "").resolve().parent

    assert loaded() == home  # where it may find files that do not travel
    (home / "beside.py").write_text("X = 2\n")
    assert loaded() == travelled
    shutil.rmtree(home)
    assert loaded() == travelled
