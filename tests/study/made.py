"""Studies and trials made by hand."""

from typing import Any

from mrtune.study import Objective, StudyRecord, TrialRecord


def trial(number: int, state: Any, value: float | None = None, **more: Any) -> TrialRecord:
    known = {
        "params": {},
        "config": number,
        "seed": 0,
        "values": None if value is None else (value,),
    }
    return TrialRecord(number=number, state=state, **(known | more))


def study(*trials: TrialRecord, **more: Any) -> StudyRecord:
    known: dict[str, Any] = {
        "name": "s",
        "workload": "fashion",
        "objectives": (Objective("f", "maximize"),),
        "space": {"budget": {"epochs": 8}},
        "settings": {"trials": 3},
        "control": "run",
        "drivers": (),
    }
    return StudyRecord(trials=trials, **(known | more))
