import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mrtune.data import roots
from mrtune.data.generate import generate

N = 30


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes to a cache that is not its own."""
    monkeypatch.delenv("MRTUNE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Draw a data set once for all tests, which must not change it."""
    home = tmp_path_factory.mktemp("drawn")

    def draw(name: str) -> Path:
        if not (home / name).exists():
            generate(name, home / name, n=N if name in ("celeba", "fashion") else 10, seed=7)
        return home / name

    return draw


def copy(folder: Path, to: Path) -> Path:
    return shutil.copytree(folder, to, ignore=shutil.ignore_patterns(".mrtune-cache"))


@pytest.fixture
def celeba(drawn: Callable[[str], Path], tmp_path: Path) -> Path:
    return copy(drawn("celeba"), tmp_path / "celeba")


@pytest.fixture
def cityscapes(drawn: Callable[[str], Path], tmp_path: Path) -> Path:
    return copy(drawn("cityscapes"), tmp_path / "cityscapes")


@pytest.fixture
def nyuv2(drawn: Callable[[str], Path], tmp_path: Path) -> Path:
    """Rooms of a quarter of their height and width: there are many tests of them."""
    folder = tmp_path / "nyuv2"
    for path in drawn("nyuv2").glob("*/*/*.npy"):
        to = folder / path.relative_to(drawn("nyuv2"))
        to.parent.mkdir(parents=True, exist_ok=True)
        np.save(to, np.load(path)[::4, ::4])
    return folder


@pytest.fixture
def fashion(drawn: Callable[[str], Path], tmp_path: Path) -> Path:
    return copy(drawn("fashion"), tmp_path / "fashion")


def real(*choices: str) -> Path:
    """Return the first of these paths that exists on the search path for data, or skip."""
    for root in roots.search_path():
        for choice in choices:
            if (root / choice).exists():
                return root / choice
    pytest.skip(f"no {' or '.join(choices)} on the search path for data")
