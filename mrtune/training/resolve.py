"""Trainers by name, or by file."""

import filecmp
import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from mrtune.errors import UsageError
from mrtune.training.trainer import Trainer

# Set where a trainer file has come with a search, into the folder that its processes work in.
TRAVELLED = "MRTUNE_SUBMITTED_BY"
CLOCKS = ("delta", "finish_at")  # two ways to say one thing: giving one drops the other's default


def load_trainer(workload: str) -> ModuleType:
    """Import a trainer that ships with mrtune, or the one in a Python file."""
    module = _from_file(Path(workload)) if workload.endswith(".py") else _by_name(workload)
    if not callable(getattr(module, "build", None)):
        raise UsageError(f"{workload} must define build(config, seed, device)")
    return module


def trainer_names() -> list[str]:
    """Name the trainers that ship with mrtune."""
    package = importlib.import_module("trainers")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def build_trainer(module: ModuleType, config: Mapping[str, Any], seed: int, device: str) -> Trainer:
    """Build the trainer of a module; keys that the configuration lacks take its defaults."""
    trainer: Trainer = module.build(with_defaults(module, config), seed, device)
    return trainer


def with_defaults(module: ModuleType, config: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a configuration by a module's defaults.

    A module may have `DEFAULTS`, and `METHOD_DEFAULTS` with those of each method.
    """
    settings = {**getattr(module, "DEFAULTS", {}), **config}
    of_method = dict(getattr(module, "METHOD_DEFAULTS", {}).get(settings.get("method"), {}))
    if not settings.keys().isdisjoint(CLOCKS):
        of_method = {key: value for key, value in of_method.items() if key not in CLOCKS}
    return {**of_method, **settings}


def _from_file(path: Path) -> ModuleType:
    travelled = Path(path.name)
    if TRAVELLED in os.environ and travelled.is_file() and not _is_same(path.parent, Path()):
        path = travelled
    if not path.is_file():
        raise UsageError(f"{path}: no such trainer file")
    name = f"mrtune_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    beside = str(path.resolve().parent)
    if beside not in sys.path:
        sys.path.append(beside)  # what it imports may lie there
    sys.modules[name] = module  # so that classes defined in it can be pickled and annotated
    spec.loader.exec_module(module)
    return module


def _is_same(folder: Path, travelled: Path) -> bool:
    """Whether this machine has all that has travelled, as it is, where the trainer came from.

    There, other files may lie beside it; a copy that is older must not be trained instead.
    """
    files = (path.relative_to(travelled) for path in travelled.rglob("*.py"))
    return all(
        (folder / path).is_file() and filecmp.cmp(folder / path, travelled / path, shallow=False)
        for path in files
    )


def _by_name(workload: str) -> ModuleType:
    try:
        return importlib.import_module(f"trainers.{workload}")
    except ModuleNotFoundError as error:
        if error.name not in {"trainers", f"trainers.{workload}"}:
            raise
        raise UsageError(
            f"no workload {workload!r}: name one that ships with mrtune, or a trainer file (.py)"
        ) from None
