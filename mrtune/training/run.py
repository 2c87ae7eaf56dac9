"""A training on disk: reports as lines, checkpoints beside them, continued where it stopped."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mrtune.errors import UsageError
from mrtune.places import place_of
from mrtune.training import checkpoint
from mrtune.training.trainer import Trainer

REPORTS = "reports.jsonl"
CONFIG = "config.json"
CHECKPOINTS = "checkpoints"


def prepare(folder: Path, config: Mapping[str, Any], resume: bool) -> None:
    """Claim a folder for a configuration; one that is taken is only ever continued."""
    record = folder / CONFIG
    if record.exists():
        if not resume:
            raise UsageError(f"{folder} holds a training already: --resume continues it")
        stored = json.loads(record.read_text(encoding="utf-8"))
        if stored != config:
            raise UsageError(f"{folder} was trained with another configuration: {stored}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(config, indent=1), encoding="utf-8")


def run(
    trainer: Trainer,
    folder: Path,
    on_report: Callable[[dict[str, float]], None],
    on_torn: Callable[[Path], None],
    splits: Sequence[str] = ("val",),
) -> dict[str, float]:
    """Train to the end, from the last checkpoint on if there is one; return the last report.

    With it come the metrics of the `splits` that are looked at only now, as `split/metric`.
    A report counts once its checkpoint is written: lines without one are cut off and made anew.
    """
    place = place_of(str(folder / CHECKPOINTS))
    saved, torn = checkpoint.load_newest(place)
    for name in torn:
        on_torn(folder / CHECKPOINTS / name)
    reports: list[dict[str, float]] = []
    if saved is not None:
        trainer.restore(saved["trainer"])
        reports = saved["reports"]
    _rewrite(folder / REPORTS, reports)
    while not trainer.finished:
        reports.append(trainer.step())
        state = {"trainer": trainer.state(), "reports": reports}
        checkpoint.save(place, state)
        _append(folder / REPORTS, reports[-1])
        on_report(reports[-1])
    final = {f"{split}/{k}": v for split in splits for k, v in trainer.evaluate(split).items()}
    return reports[-1] | final


def _rewrite(path: Path, reports: list[dict[str, float]]) -> None:
    path.write_text("".join(_line(report) for report in reports), encoding="utf-8")


def _append(path: Path, report: dict[str, float]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(_line(report))


def _line(report: dict[str, float]) -> str:
    return json.dumps(report) + "\n"
