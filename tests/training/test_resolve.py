import shutil
import sys
from pathlib import Path

import pytest

from mrtune.training.resolve import load_trainer

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
