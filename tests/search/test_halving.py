import pytest

from mrtune.search.halving import completion_ladder, epoch_ladder, judge
from mrtune.search.rules import Standing
from mrtune.study import Objective

UP = Objective("f", "maximize")
DOWN = Objective("loss", "minimize")


@pytest.mark.parametrize(
    ("grace", "epochs", "reduction", "levels"),
    [
        (1, 11, 3, (1, 3, 9)),
        (2, 8, 2, (2, 4)),  # nobody is stopped at the end
        (3, 243, 3, (3, 9, 27, 81)),  # and no rung is lost to rounding
        (8, 8, 2, ()),
        (0.5, 2, 2, (0.5, 1)),
    ],
)
def test_rungs_grow_from_the_grace_to_the_end(
    grace: float, epochs: float, reduction: int, levels: tuple[float, ...]
) -> None:
    assert epoch_ladder(grace, epochs, reduction).levels == levels


def test_rungs_by_completion_end_with_the_plan() -> None:
    assert completion_ladder(2).levels == (0.25, 0.5, 1)


def test_a_trial_that_jumps_over_rungs_comes_to_all_of_them() -> None:
    ladder = epoch_ladder(1, 20, 2)
    assert ladder.due(0, 0.5) == []
    assert ladder.due(0, 5) == [0, 1, 2]
    assert ladder.due(2, 5) == [2]


def test_the_best_share_is_kept() -> None:
    rivals = [n / 10 for n in range(8)]
    kept = [judge(value, 0, 1.0, (), rivals, UP, 3).kept for value in (0.8, 0.55, 0.45)]
    assert kept == [True, True, False]
    assert judge(0.1, 0, 1.0, (), rivals, UP, 3).threshold == 0.5
    assert judge(0.05, 0, 1.0, (), rivals, DOWN, 3).kept


def test_the_first_at_a_rung_goes_on() -> None:
    first = judge(0.0, 0, 1.0, (), (), UP, 3)
    assert (first.kept, first.threshold) == (True, None)


def test_configurations_are_compared_on_means_over_seeds() -> None:
    standing = Standing()
    for trial, config, value in ((1, 1, 0.5), (2, 2, 0.2), (3, 1, 0.7), (4, 2, 0.0)):
        standing.add(trial, config, value)
    same, rivals = standing.of(2, besides=4), standing.means(besides=2)
    assert (same, rivals) == ([0.2], [0.6])
    assert judge(0.9, 0, 1.0, same, rivals, UP, 2).kept is False  # 0.55 on the mean
    assert judge(1.1, 0, 1.0, same, rivals, UP, 2).kept is True  # 0.65 on the mean
