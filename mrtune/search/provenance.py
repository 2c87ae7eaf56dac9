"""Where results come from: revision, versions, trainer."""

import subprocess
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from types import ModuleType
from typing import Any

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


def revision(folder: Path) -> str | None:
    """Return the git revision of a folder, marked where files differ from it."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
