import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def doctor(
    *options: str, cwd: Path, **environment: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, dict[str, str]]]:
    ran = subprocess.run(
        [sys.executable, "-m", "mrtune", "doctor", "--json", *options],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env=os.environ | environment,
        check=False,
    )
    return ran, {finding["check"]: finding for finding in json.loads(ran.stdout)["checks"]}


def test_a_sound_machine_is_ready(tmp_path: Path) -> None:
    (tmp_path / "celeba" / "img_align_celeba").mkdir(parents=True)
    ran, found = doctor(cwd=tmp_path, MRTUNE_DATA=str(tmp_path))
    assert ran.returncode == 0, ran.stdout
    assert json.loads(ran.stdout)["ok"] is True
    for check in ("packages", "cpu", "torch", "torchvision", "ray", "storage", "data celeba"):
        assert found[check]["verdict"] == "ok", found[check]
    assert found["data nyuv2"]["verdict"] == "absent"
    assert "optuna" in found["packages"]["detail"]
    assert [path.name for path in tmp_path.iterdir()] == ["celeba"]  # it leaves nothing behind


def test_torchvision_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['torchvision'] = None\n")
    ran, found = doctor(cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert ran.returncode == 0, ran.stdout
    assert found["torchvision"]["verdict"] == "absent"


def test_what_is_broken_is_named_explained_and_exit_code_1(tmp_path: Path) -> None:
    """A torchvision beside a foreign torch fails at import, with exactly this message."""
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision" / "__init__.py").write_text(
        "raise RuntimeError('operator torchvision::nms does not exist')\n"
    )
    (tmp_path / "optuna.py").write_text("raise ImportError('half an optuna')\n")
    ran, found = doctor(cwd=tmp_path, PYTHONPATH=str(tmp_path), CUDA_VISIBLE_DEVICES="")
    assert ran.returncode == 1
    assert "come from different builds" in found["torchvision"]["detail"]
    assert "uv pip install --reinstall torch torchvision" in found["torchvision"]["detail"]
    assert found["storage"]["detail"] == "ImportError: half an optuna"
    assert found["torch"]["verdict"] == "ok"
    assert found["gpu"]["verdict"] == "absent"
    assert ran.stderr == "mrtune: not ready, broken: torchvision, storage\n"
