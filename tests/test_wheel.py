import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_wheel_holds_the_packages_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=120,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "mrtune/roaming/swap.py" in names
    assert "dashboards/roam.py" in names
    folders = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert folders == {"mrtune", "trainers", "search_spaces", "dashboards"}
    assert {f"search_spaces/{path.name}" for path in ROOT.glob("search_spaces/*.yaml")} < set(names)
    assert "mrtune/data/shipped/fashion_attr_4k.npz" in names
    assert "mrtune/data/shipped/copyright" in names
    assert wheel.stat().st_size < 2_300_000
