"""Studies of grids that are finished, without training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mrtune.search.importing import import_study
from mrtune.search.space import Space, load_space
from mrtune.study import close_storage, open_storage


def trained(
    space: Space, number: int, config: int, seed: int, params: dict[str, Any]
) -> dict[str, Any]:
    """A training by which roaming gains 0.01."""
    setting, epochs = space.config(params), int(space.budget.epochs)
    gain = 0.01 * (params["method"] == "mr")
    score = 0.8 + setting.get("p", 0.5) / 10 + gain + seed / 1000 + number / 1e5
    return {
        "number": number,
        "state": "complete",
        "params": params,
        "values": [score],
        "config": config,
        "seed": seed,
        "default": False,
        "setting": setting,
        "curves": {
            "epoch": [float(n) for n in range(1, epochs + 1)],
            "f_score": [score * n / epochs for n in range(1, epochs + 1)],
        },
        "metrics": {"f_score": score, "val/f_score": score - 0.1, "val/accuracy": 0.9},
        "rungs": [],
        "failure": None,
        "retries": 0,
        "place": {"host": "secret-host"},
        "network": {},
        "provenance": {"trainer": "/home/secret/fashion.py"},
        "started": "2026-01-01T12:00:00",
        "ended": "2026-01-01T12:01:00",
        "seconds": 60.0,
    }


def finished(
    folder: Path, name: str, space_file: str, overrides: Sequence[tuple[str, Any]] = ()
) -> Path:
    """Write a storage with a grid whose every configuration has three seeds."""
    space = load_space(space_file, overrides)
    trials = [
        trained(space, 3 * place + seed, 3 * place, seed, point)
        for place, point in enumerate(space.grid())
        for seed in range(3)
    ]
    settings = {"trials": len(trials) // 3, "seed": 0, "grace": 1.0, "runs": "/home/secret/runs"}
    content = {"name": name, "space": space.to_dict(), "settings": settings, "trials": trials}
    storage = open_storage(str(folder / "paper.db"))
    import_study(storage, content, "/home/secret/runs")
    close_storage(storage)
    return folder / "paper.db"
