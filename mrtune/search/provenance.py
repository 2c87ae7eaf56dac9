"""Where results come from: revision, versions, trainer."""

import json
import os
import subprocess
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from types import ModuleType
from typing import Any

from mrtune.errors import UsageError
from mrtune.training.resolve import TRAVELLED

PACKAGES = ("mrtune", "torch", "ray", "optuna", "numpy")


def provenance(trainer: ModuleType) -> dict[str, Any]:
    """Describe the code that trials are made by."""
    file = Path(trainer.__file__ or "")
    return {
        "git": revision(file.parent),
        "versions": versions(),
        "trainer": str(file),
    }


def versions() -> dict[str, str]:
    """Return the versions of what trainings depend on, here."""
    return {"python": python_version(), **{name: version(name) for name in PACKAGES}}


def check_submitter() -> list[str]:
    """Refuse a job from another version of mrtune; return how other packages differ, if any do."""
    there = json.loads(os.environ.get(TRAVELLED, "{}"))
    here = versions()
    differing = [name for name in there if here.get(name) != there[name]]
    if "mrtune" in differing:
        raise UsageError(
            f"mrtune is {here['mrtune']} here, {there['mrtune']} where the job is from"
        )
    return [f"{name} is {here.get(name)} here, {there[name]} at home" for name in differing]


def revision(folder: Path) -> str | None:
    """Return the git revision of a folder, marked where files differ from it."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
