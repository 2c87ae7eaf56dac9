import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.cli.data import NAMES
from mrtune.data.sets import SETS
from tests.conftest import Outcome

Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MRTUNE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def faces(mrtune: Run, tmp_path: Path) -> Path:
    to = tmp_path / "data" / "celeba"
    outcome = mrtune("data", "generate", "celeba", "--to", str(to), "--n", "20", "--seed", "3")
    assert outcome == (
        0,
        f"20 samples at {to}; `mrtune train celeba -S root={to}` learns from them\n",
        "",
    )
    return to


def test_every_set_has_its_name_on_the_command_line() -> None:
    assert tuple(SETS) == NAMES


def test_the_overview_says_what_is_here_and_how_to_get_the_rest(mrtune: Run, faces: Path) -> None:
    code, out, err = mrtune("data")
    assert (code, err) == (0, "")
    assert "✓ fashion" in out
    assert "ships with mrtune" in out
    assert f"here    {faces}" in out
    assert "– nyuv2" in out
    assert f"not found (looked at {faces.parent / 'nyuv2'}" in out
    for needed in ("list_attr_celeba.txt", "label_7", "https://github.com/lorenmt/mtan"):
        assert needed in out


def test_prepare_writes_the_cache_and_says_where(mrtune: Run, faces: Path, tmp_path: Path) -> None:
    (faces / "img_align_celeba" / "000002.jpg").write_bytes(b"broken")
    code, out, err = mrtune("data", "prepare", "celeba")
    assert (code, err) == (0, "")
    assert out.startswith("celeba: 19 samples (train ")
    assert "1 skipped: 000002.jpg" in out
    assert len(list((tmp_path / "cache").glob("celeba-*/manifest.json"))) == 1
    code, out, err = mrtune("data", "prepare", "celeba", "--root", str(faces), "--strict")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "000002.jpg cannot be read" in err


def test_check_of_a_sound_set(mrtune: Run, faces: Path) -> None:
    code, out, err = mrtune("data", "check", "celeba", "--root", str(faces))
    assert (code, err) == (0, "")
    assert out.endswith("ready\n")
    code, out, _ = mrtune("data", "check", "fashion")
    assert code == 0
    assert "test           1,000" in out


def test_check_names_what_is_broken_and_fails(mrtune: Run, faces: Path) -> None:
    for number in range(1, 13):
        (faces / "img_align_celeba" / f"{number:06d}.jpg").write_bytes(b"broken")
    code, out, err = mrtune("data", "check", "celeba")
    assert code == 1
    assert "000001.jpg: cannot identify image file" in out
    assert "… and 2 more (--json has all)" in out
    assert err.startswith("mrtune: celeba is not ready: 12 of 20 samples cannot be read")
    assert err.count("\n") == 1
    code, out, _ = mrtune("data", "check", "celeba", "--json")
    report = json.loads(out)
    assert code == 1
    assert report["ready"] is False
    assert len(report["unreadable"]) == 12


def test_check_of_a_set_without_its_list_fails(mrtune: Run, faces: Path) -> None:
    (faces / "list_attr_celeba.txt").unlink()
    code, _, err = mrtune("data", "check", "celeba")
    assert code == 1
    assert err == f"mrtune: celeba is not ready: {faces / 'list_attr_celeba.txt'} is missing\n"


@pytest.mark.parametrize("arguments", [["data", "--help"], ["data", "check", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import sys
from mrtune.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    sys.exit(any(name in sys.modules for name in ("numpy", "PIL", "torch", "rich")))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0


def test_convert_needs_the_raw_folders(mrtune: Run, tmp_path: Path) -> None:
    code, out, err = mrtune(
        "data", "convert", "cityscapes", "--raw", str(tmp_path), "--to", str(tmp_path / "to")
    )
    assert (code, out) == (2, "")
    assert "leftImg8bit is missing" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("prepare", "celeb"), "'celeb' is not one of 'fashion', 'celeba'"),
        (("prepare", "celeba", "--root", "/nowhere"), "celeba not found: looked for"),
        (("check", "nyuv2"), "nyuv2 not found: looked for train/image in"),
        (("generate", "celeba"), "Missing option '--to'"),
        (("generate", "celeba", "--to", "/proc/new"), "cannot write /proc/new"),
        (("generate", "celeba", "--to", "new", "--n", "1"), "n must be at least 10, got 1"),
        (("generate", "celeba", "--to", "/usr"), "/usr is not empty: nothing is overwritten"),
        (("convert", "nyuv2", "--raw", ".", "--to", "new"), "'nyuv2' is not 'cityscapes'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    mrtune: Run, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = mrtune("data", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
