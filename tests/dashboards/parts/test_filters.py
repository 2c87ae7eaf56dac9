import pytest

from dashboards.parts.filters import askable, conditions, facts_of
from mrtune.errors import UsageError
from tests.study.made import study, trial

RECORD = study(
    trial(0, "complete", 0.5, params={"p": 0.3, "method": "mr", "fast": True}),
    trial(1, "pruned", params={"p": 0.70004, "method": "tr"}, curves={"epoch": [2.0], "f": [0.4]}),
    trial(2, "complete", 0.9, params={"method": "MR"}, seed=1),
)
NAMES = askable(RECORD, ["p", "method", "fast"])


def kept(text: str) -> list[int]:
    asked = conditions(text, NAMES)
    facts = {t.number: facts_of(RECORD, t) for t in RECORD.trials}
    return [number for number, of in facts.items() if all(c.holds(of) for c in asked)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [0, 1, 2]),
        (" , ", [0, 1, 2]),
        ("p>0.5", [1]),
        ("p >= 0.3, p<0.7", [0]),
        ("p=0.7", [1]),  # what a page shows can be asked for
        ("p!=0.3", [1]),  # a trial without p is not among them
        ("method=mr", [0, 2]),
        ("method == tr", [1]),
        ("fast=true", [0]),
        ("f>0.45, state=complete", [0, 2]),
        ("seed=1", [2]),
        ("trial<=1, epoch>=2", [1]),
    ],
)
def test_conditions_keep_trials(text: str, expected: list[int]) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p", "a condition must be a name, one of = != < <= > >=, and a value, got 'p'"),
        ("p>", "a condition must be a name"),
        (">0.5", "a condition must be a name"),
        ("methd=mr", "unknown name 'methd'; did you mean 'method'?"),
        ("p>big", "p> must be followed by a number, got 'big'"),
    ],
)
def test_a_bad_condition_names_the_rule(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        conditions(text, NAMES)
    assert message in str(caught.value)
