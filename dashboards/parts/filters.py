"""What a reader may ask of trials: `p>0.5, method=mr`."""

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dashboards.parts.ranking import score
from mrtune.config import did_you_mean
from mrtune.errors import UsageError
from mrtune.study import StudyRecord, TrialRecord

ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
CONDITION = re.compile(r"\s*(.+?)\s*(<=|>=|!=|==?|<|>)\s*(.*?)\s*", re.DOTALL)
OF_TRIALS = ("trial", "state", "seed", "epoch")  # besides parameters and objectives
DIGITS = 1e-3  # pages show four digits, and what they show can be asked for


@dataclass(frozen=True)
class Condition:
    """One thing that must hold."""

    name: str
    sign: str
    value: str

    def holds(self, facts: Mapping[str, Any]) -> bool:
        """Whether it does; of what a trial does not have, nothing holds."""
        fact = facts.get(self.name)
        if fact is None:
            return False
        wanted, found = _number(self.value), _number(fact)
        if self.sign in ORDERS:
            return wanted is not None and found is not None and ORDERS[self.sign](found, wanted)
        if wanted is None or found is None:
            same = str(fact).casefold() == self.value.casefold()
        else:
            same = math.isclose(wanted, found, rel_tol=DIGITS)
        return same == (self.sign != "!=")


def conditions(text: str, names: Collection[str]) -> list[Condition]:
    """Read conditions, with commas between them."""
    return [_condition(part, names) for part in text.split(",") if part.strip()]


def askable(record: StudyRecord, params: Collection[str]) -> list[str]:
    """Name what can be asked for."""
    return [*params, *(objective.metric for objective in record.objectives), *OF_TRIALS]


def facts_of(record: StudyRecord, trial: TrialRecord) -> dict[str, Any]:
    """Return what conditions look at."""
    reached = {o.metric: score(record, trial, i) for i, o in enumerate(record.objectives)}
    about = {"trial": trial.number, "state": trial.state, "seed": trial.seed, "epoch": trial.epoch}
    return {**about, **reached, **trial.params}


def _condition(text: str, names: Collection[str]) -> Condition:
    match = CONDITION.fullmatch(text)
    if match is None or not match[3]:
        raise UsageError(
            f"a condition must be a name, one of = != < <= > >=, and a value, got {text.strip()!r}"
        )
    name, sign, value = match.groups()
    if name not in names:
        raise UsageError(f"unknown name {name!r}; {did_you_mean(name, names)}")
    if sign in ORDERS and _number(value) is None:
        raise UsageError(f"{name}{sign} must be followed by a number, got {value!r}")
    return Condition(name, sign, value)


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
