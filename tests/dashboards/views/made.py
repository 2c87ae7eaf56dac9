"""Configurations trained with several seeds, made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboards.blocks import Block, Figure, Table, Text
from mrtune.study import StudyRecord, TrialRecord
from tests.study.made import study, trial

Made = tuple[Mapping[str, Any], Sequence[float]]  # parameters, a value for each seed


def configurations(*made: Made, **more: Any) -> StudyRecord:
    """Make a study whose trials are complete, seed by seed."""
    trials: list[TrialRecord] = []
    for params, values in made:
        first = len(trials)
        for seed, value in enumerate(values):
            known = {"params": params, "setting": params, "config": first, "seed": seed}
            trials.append(trial(len(trials), "complete", value, **known))
    return study(*trials, **more)


def texts(page: Sequence[Block]) -> str:
    return "\n".join(block.text for block in page if isinstance(block, Text))


def figure_of(page: Sequence[Block]) -> Any:
    return next(block.figure for block in page if isinstance(block, Figure))


def table_of(page: Sequence[Block]) -> list[list[str]]:
    rows = next(block.rows for block in page if isinstance(block, Table))
    return [[cell.text for cell in row] for row in rows]


def strong(page: Sequence[Block]) -> list[str]:
    """Return the cells that stand out."""
    rows = next(block.rows for block in page if isinstance(block, Table))
    return [cell.text for row in rows for cell in row if cell.strong]
