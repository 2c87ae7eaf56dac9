from typing import Any

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import FixedTrial

from mrtune.errors import UsageError
from mrtune.search.space import Space, typical
from mrtune.search.space.dimension import Choice, FloatRange, IntRange
from tests.search.space.conftest import Load

CONDITIONAL = """
params:
  alpha: {choices: [0.5, 1, 1.5], when: {method: gradnorm}}
  p: {low: 0.1, high: 0.9, step: 0.4, when: {method: [mr, tr]}}
  selection: {choices: [uniform, cosine], when: {r: [0.5, 1]}}
  r: {choices: [0, 0.5, 1], when: {method: mr}}
  method: [mr, tr, gradnorm, mtl]
fixed: {lr: 1e-3}
"""


@pytest.fixture
def conditional(load: Load) -> Space:
    return load(CONDITIONAL)


def drawn(space: Space, trials: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Optuna's parameters and our configurations, drawn at random."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    asked = [study.ask() for _ in range(trials)]
    return [(trial.params, config) for trial in asked if (config := space.suggest(trial))]


def test_a_configuration_has_what_is_fixed_and_the_budget(load: Load) -> None:
    space = load("params: {p: {low: 0.1, high: 0.9}}\nfixed: {lr: 1e-5, method: mr}")
    ((params, config),) = drawn(space, 1)
    assert config == {"method": "mr", "lr": 1e-5, "epochs": 8, "p": params["p"]}
    assert 0.1 <= config["p"] <= 0.9


def test_a_parameter_is_drawn_only_where_its_condition_holds(conditional: Space) -> None:
    seen = set()
    for params, config in drawn(conditional, 200):
        expected = {
            "mr": {"method", "p", "r"} | ({"selection"} if params.get("r") else set()),
            "tr": {"method", "p"},
            "gradnorm": {"method", "alpha"},
            "mtl": {"method"},
        }[params["method"]]
        assert set(params) == expected
        assert set(config) == expected | {"lr", "epochs"}
        seen.add(frozenset(params))
    assert len(seen) == 5


def test_a_share_by_depth_is_two_parameters_and_one_value(load: Load) -> None:
    space = load("params: {p: {shallow: {low: 0.5, high: 0.9}, deep: [0.2]}, lr: [0.1]}")
    ((params, config),) = drawn(space, 1)
    assert list(params) == ["p.shallow", "p.deep", "lr"]
    assert config["p"] == {"shallow": params["p.shallow"], "deep": 0.2}


def test_parameters_read_back_from_a_study_give_the_same_configuration(conditional: Space) -> None:
    for params, config in drawn(conditional, 50):
        assert conditional.config(params) == config
        assert conditional.suggest(FixedTrial(params)) == config


def test_a_grid_has_every_point_once(conditional: Space) -> None:
    points = conditional.grid()
    # mr: 3 of p times (r = 0, and 2 selections for 2 other r); tr: 3 of p; gradnorm: 3; mtl: 1
    assert len(points) == 3 * (1 + 4) + 3 + 3 + 1
    assert len({tuple(sorted(point.items())) for point in points}) == len(points)
    reached = {tuple(sorted(params.items())) for params, _ in drawn(conditional, 600)}
    assert reached == {tuple(sorted(point.items())) for point in points}


def test_optuna_accepts_every_point_of_a_grid(conditional: Space) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study()
    for point in conditional.grid():
        study.enqueue_trial(point)
        trial = study.ask()
        conditional.suggest(trial)
        assert trial.params == point


def test_a_range_without_steps_has_no_grid(load: Load) -> None:
    with pytest.raises(UsageError, match=r"params\.p: a grid needs step or choices"):
        load("params: {p: {low: 0, high: 1}}").grid()


def test_steps_are_the_numbers_that_a_person_would_write() -> None:
    assert FloatRange(low=0.1, high=0.7, step=0.1).values == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


@given(low=st.integers(1, 50), steps=st.integers(0, 20), step=st.integers(1, 7), log=st.booleans())
def test_the_centre_is_a_possible_value(low: int, steps: int, step: int, log: bool) -> None:
    high = low + steps * step
    whole = IntRange(type="int", low=low, high=high, step=1 if log else step, log=log)
    assert whole.centre in whole.values
    stepped = FloatRange(low=low / 10, high=high / 10, step=step / 10)
    assert stepped.values is not None
    assert stepped.centre in stepped.values
    plain = FloatRange(low=low, high=high, log=log)
    assert low - 1e-9 <= plain.centre <= high + 1e-9


@pytest.mark.parametrize(
    ("choices", "centre"), [((3, 1, 2), 2), ((1, 0.5), 0.5), (("b", "a"), "b"), ((True, 0.5), True)]
)
def test_the_centre_of_numbers_is_the_middle_and_of_names_the_first(
    choices: tuple[Any, ...], centre: Any
) -> None:
    assert Choice(choices=choices).centre == centre


def test_the_typical_configuration_roams_if_any_does(conditional: Space) -> None:
    assert typical(conditional)["method"] == "mr"
    assert typical(conditional) == {
        "lr": 1e-3,
        "epochs": 8,
        "method": "mr",
        "p": 0.5,
        "r": 0.5,
        "selection": "uniform",
    }
