import random
from typing import Any

import pytest

from mrtune.study import Objective, StudyRecord
from mrtune.study.dimensions import dimensions
from mrtune.study.importance import FEWEST, importances
from tests.study.made import study, trial

SPACE = {
    "budget": {"epochs": 8},
    "params": {
        "p": {"low": 0.0, "high": 1.0},
        "idle": {"low": 1e-4, "high": 1.0, "log": True},
        "steps": {"low": 0.0, "high": 1.0, "step": 0.25},
        "method": ["a", "b"],
        "alpha": {"low": 0.0, "high": 1.0, "when": {"method": ["b"]}},
    },
}


def searched(count: int, **more: Any) -> StudyRecord:
    """Only p decides; alpha is a parameter of one method."""
    chance = random.Random(0)

    def params() -> dict[str, Any]:
        drawn = {
            "p": chance.random(),
            "idle": 10 ** chance.uniform(-4, 0),
            "steps": chance.randrange(5) / 4,
            "method": chance.choice("ab"),
        }
        return drawn | ({"alpha": chance.random()} if drawn["method"] == "b" else {})

    drawn = [params() for _ in range(count)]
    values = [-((p["p"] - 0.7) ** 2) for p in drawn]
    trials = [trial(i, "complete", values[i], params=p) for i, p in enumerate(drawn)]
    return study(*trials, space=SPACE, **more)


@pytest.mark.parametrize("count", [100, 3000])
def test_the_parameter_that_decides_is_found(count: int) -> None:
    record = searched(count)
    found = importances(record, dimensions(record))
    assert next(iter(found)) == "p"
    assert found["p"] > 0.7
    assert sum(found.values()) == pytest.approx(1)
    assert set(found) == set(SPACE["params"])


def test_few_complete_trials_say_nothing() -> None:
    record = searched(FEWEST - 1)
    assert importances(record, dimensions(record)) == {}
    assert importances(study(), {}) == {}


def test_two_objectives_are_looked_at_together() -> None:
    one = searched(60)
    both = [
        trial(t.number, "complete", None, params=t.params, values=(*t.values, 0.0))
        for t in one.trials
        if t.values
    ]
    objectives = (Objective("f", "maximize"), Objective("cost", "minimize"))
    record = study(*both, space=SPACE, objectives=objectives)
    assert next(iter(importances(record, dimensions(record)))) == "p"
