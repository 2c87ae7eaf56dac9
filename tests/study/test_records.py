import pytest

from mrtune.study import Driver, Objective
from tests.study.made import study, trial


def test_the_best_has_the_most_seeds_then_the_best_mean() -> None:
    record = study(
        trial(0, "complete", 0.5, default=True),
        trial(1, "complete", 0.9),
        trial(2, "complete", 0.7),
        trial(3, "complete", 0.5, config=2, seed=1),
        trial(4, "complete", 0.6, config=0, seed=1),
        trial(5, "pruned", 0.99),
    )
    assert record.best is not None
    assert record.best.number == 2
    assert record.best.mean() == pytest.approx(0.6)
    assert record.default is not None
    assert record.default.mean() == pytest.approx(0.55)
    down = study(
        trial(0, "complete", 0.5),
        trial(1, "complete", 0.1),
        objectives=(Objective("l", "minimize"),),
    )
    assert down.best is not None
    assert down.best.number == 1


def test_nothing_complete_has_no_best() -> None:
    assert study(trial(0, "pruned", 0.5), trial(1, "fail")).best is None
    assert study().best is None


@pytest.mark.parametrize(
    ("alive", "control", "states", "word"),
    [
        (True, "run", ("running",), "running"),
        (True, "pause", ("waiting",), "paused"),
        (True, "stop", ("running",), "stopping"),
        (False, "run", ("complete", "pruned", "fail"), "finished"),
        (False, "run", ("complete", "running"), "interrupted"),
        (False, "run", ("complete",), "interrupted"),
        (False, "stop", ("complete",), "stopped"),
        (False, "cancel", ("complete", "pruned", "fail"), "finished"),
    ],
)
def test_one_word_says_how_a_study_is(
    alive: bool, control: str, states: tuple[str, ...], word: str
) -> None:
    drivers = (Driver("d", "h", 1, 0.0, 0.0, alive),)
    trials = [trial(n, state) for n, state in enumerate(states)]
    assert study(*trials, drivers=drivers, control=control).state == word


def test_a_trial_knows_how_far_it_is() -> None:
    far = trial(0, "running", curves={"epoch": [1.0, 2.0], "f": [0.1, None]})
    assert (far.epoch, far.latest("f"), far.latest("g")) == (2.0, None, None)
    assert trial(1, "waiting").epoch == 0
