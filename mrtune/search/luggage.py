"""What travels to a cluster with a search: the trainer's file, and the modules beside it."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mrtune.errors import UsageError
from mrtune.search.provenance import versions
from mrtune.training.resolve import TRAVELLED


def travelling(trainer: str) -> list[Path]:
    """Name what a trainer file needs of its folder: modules and packages beside it.

    The file of a study that began as a job is looked for here: its own folder is the cluster's.
    """
    if not trainer.endswith(".py"):
        return []
    path = next((p for p in (Path(trainer), Path(Path(trainer).name)) if p.is_file()), None)
    if path is None:
        raise UsageError(f"{trainer}: no such trainer file, nor is there one of its name here")
    return sorted(p for p in path.resolve().parent.iterdir() if _is_module(p))


@contextmanager
def packed(files: Sequence[Path], **variables: str) -> Iterator[dict[str, Any]]:
    """Copy files for the length of the block, which is given an environment that has them."""
    with TemporaryDirectory(prefix="mrtune-job-") as folder:
        for path in files:
            _copy(path, Path(folder))
        yield {
            "working_dir": folder,
            "env_vars": {TRAVELLED: json.dumps(versions()), **variables},
        }


@contextmanager
def packed_unless_here(trainer: str) -> Iterator[dict[str, Any] | None]:
    """Pack what a search needs that joins a cluster; what has come with a job is there."""
    files = [] if TRAVELLED in os.environ else travelling(trainer)
    if not files:
        yield None
        return
    with packed(files) as environment:
        yield environment


def _is_module(path: Path) -> bool:
    try:
        return (path.suffix == ".py" and path.is_file()) or (path / "__init__.py").is_file()
    except PermissionError:
        return False


def _copy(path: Path, folder: Path) -> None:
    try:
        if path.is_dir():
            shutil.copytree(
                path,
                folder / path.name,
                ignore=shutil.ignore_patterns("__pycache__"),
                ignore_dangling_symlinks=True,  # editors leave some
            )
        else:
            shutil.copy(path, folder)
    except OSError as error:
        raise UsageError(f"{path} cannot be taken to the cluster: {error}") from None
