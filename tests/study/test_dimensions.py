from mrtune.study.dimensions import Dimension, dimensions
from tests.study.made import study, trial

SPACE = {
    "budget": {"epochs": 8},
    "params": {
        "method": {"choices": ["tr", "mr"], "when": {}},
        "lr": {"type": "float", "low": 1e-5, "high": 1e-3, "log": True, "step": None, "when": {}},
        "r": {"type": "float", "low": 0.0, "high": 1.0, "log": False, "step": 0.25, "when": {}},
        "n": {"type": "int", "low": 1, "high": 9, "log": False, "step": 2, "when": {}},
        "p": {"shallow": {"low": 0.5, "high": 1}, "deep": [0.5, 0.1], "when": {}},
        "never": {"low": 0, "high": 1},
    },
}


def test_dimensions_are_those_of_the_space_that_were_tried() -> None:
    params = {"n": 3, "lr": 1e-4, "r": 0.5, "method": "mr", "p.shallow": 0.7, "p.deep": 0.1}
    found = dimensions(study(trial(0, "complete", 1.0, params=params), space=SPACE))
    assert list(found.values()) == [
        Dimension("method", choices=("tr", "mr")),
        Dimension("lr", 1e-5, 1e-3, log=True),
        Dimension("r", 0.0, 1.0, step=0.25),
        Dimension("n", 1, 9, whole=True, step=2),
        Dimension("p.shallow", 0.5, 1),
        Dimension("p.deep", choices=(0.1, 0.5)),
    ]


def test_values_outside_of_the_space_widen_it() -> None:
    trials = [trial(i, "complete", 1.0, params=p) for i, p in enumerate(({"lr": 1.0}, {"lr": 0.1}))]
    assert dimensions(study(*trials, space=SPACE)) == {"lr": Dimension("lr", 0.1, 1.0)}


def test_without_a_space_the_values_tell() -> None:
    trials = (
        trial(0, "complete", 1.0, params={"a": 1, "b": "x"}),
        trial(1, "complete", 1.0, params={"a": 0.5, "b": None, "c": True}),
    )
    assert dimensions(study(*trials, space={})) == {
        "a": Dimension("a", 0.5, 1),
        "b": Dimension("b", choices=("x", None)),
        "c": Dimension("c", choices=(True,)),
    }
