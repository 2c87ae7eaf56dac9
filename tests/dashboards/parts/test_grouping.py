import pytest

from dashboards.parts.grouping import by_seed, is_drawn, rounded, rounded_log, runs
from dashboards.parts.measure import objective_of
from mrtune.study.choosing import best_by_method
from tests.dashboards.views.made import configurations
from tests.study.made import study, trial


def test_a_network_knows_the_defaults_that_no_setting_names() -> None:
    roaming = {"p": 0.5, "finish_at": 5, "delta": None, "r": 1.0, "selection": "uniform"}
    record = study(trial(0, "complete", 0.7, network={"parameters": 10, "roaming": roaming}))
    (run,) = runs(record, objective_of(record))
    assert (run.method, run.p, run.finish_at, run.delta, run.r) == ("mr", 0.5, 5, None, 1)
    assert run.roams


def test_task_routing_and_r_0_are_fixed_and_other_methods_have_no_partition() -> None:
    record = configurations(
        ({"method": "tr", "p": 0.9}, [0.1]), ({"r": 0}, [0.2]), ({"method": "mtl"}, [0.3])
    )
    tr, zero, mtl = runs(record, objective_of(record))
    assert tr.fixed
    assert zero.fixed
    assert not mtl.fixed
    assert not mtl.roams
    assert mtl.r is None


def test_a_p_that_changes_with_depth_is_not_one_number() -> None:
    record = configurations(({"p": {"shallow": 0.9, "deep": 0.3}}, [0.5]))
    (run,) = runs(record, objective_of(record))
    assert run.p is None


def test_a_trainer_without_methods_is_named_after_its_file() -> None:
    record = configurations(({"x": 1}, [0.5]), workload="/some/where/mine.py")
    assert [run.method for run in runs(record, objective_of(record))] == ["mine"]


def test_only_complete_trials_count() -> None:
    record = study(trial(0, "pruned", 0.5), trial(1, "fail"), trial(2, "running"))
    assert runs(record, objective_of(record)) == []


def test_a_seed_of_several_configurations_has_their_mean() -> None:
    record = configurations(({"lr": 1}, [0.2, 0.5]), ({"lr": 2}, [0.4]))
    assert by_seed(runs(record, objective_of(record))) == pytest.approx({0: 0.3, 1: 0.5})


def test_ranges_are_drawn_and_grids_are_not() -> None:
    space = {
        "params": {
            "p": {"low": 0.1, "high": 0.9, "step": None},
            "r": {"low": 0.0, "high": 1.0, "step": 0.25},
            "delta": {"choices": [0.1, 1]},
        }
    }
    record = study(space=space)
    assert is_drawn(record, "p", [0.437])
    assert not is_drawn(record, "r", [0.25])
    assert not is_drawn(record, "delta", [0.1])
    assert not is_drawn(record, "finish_at", [5])
    assert is_drawn(record, "finish_at", [n / 7 for n in range(13)])


@pytest.mark.parametrize(
    ("value", "expected"), [(0.05, 0.05), (0.24, 0.2), (0.4, 0.5), (0.9, 1), (8, 10), (3.1, 2)]
)
def test_intervals_are_rounded_by_their_ratio(value: float, expected: float) -> None:
    assert rounded_log(value) == expected


def test_rounding_leaves_nothing_of_floating_point() -> None:
    assert rounded(0.7000000000000001, None) == 0.7
    assert rounded(0.68, 0.1) == 0.7
    assert rounded(0.25, 0.1) == 0.3


def test_the_best_of_a_method_has_the_most_seeds() -> None:
    record = configurations(
        ({"method": "mr", "p": 0.1}, [0.9]),
        ({"method": "mr", "p": 0.2}, [0.5, 0.6]),
        ({"method": "mr", "p": 0.3}, [0.6, 0.7]),
        ({"method": "tr"}, [0.4]),
    )
    best = best_by_method(record)
    assert {method: c.trials[0].params.get("p") for method, c in best.items()} == {
        "mr": 0.3,
        "tr": None,
    }
