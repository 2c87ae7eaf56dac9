"""States, moments and trials in words."""

from collections.abc import Mapping
from datetime import datetime

from dashboards.blocks import Cell
from dashboards.parts.links import trial_link
from dashboards.theme import STATES
from mrtune.study import TrialRecord
from mrtune.wording import number


def state_text(state: str) -> str:
    """Write the state of a trial, with its mark."""
    return f"{STATES[state][0]} {state}"


def counts_text(counts: Mapping[str, int]) -> str:
    """Write the trials by state, as marks and numbers: ● 12  ✂ 30."""
    return "  ".join(f"{STATES[state][0]} {count}" for state, count in counts.items() if count)


def moment_text(moment: datetime | None) -> str:
    """Write a date and a time."""
    return "–" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def number_cell(value: float | None, strong: bool = False) -> Cell:
    """Make a cell of a number that may be missing; missing ones sort as the smallest."""
    return Cell(number(value), sort=float("-inf") if value is None else value, strong=strong)


def trial_cell(study: str, trial: TrialRecord) -> Cell:
    """Make a cell that leads to a trial."""
    return Cell(str(trial.number), sort=trial.number, link=trial_link(study, trial.number))


def state_cell(trial: TrialRecord) -> Cell:
    """Make a cell of a trial's state."""
    return Cell(state_text(trial.state), sort=trial.state)
