"""The paper's experiments, and the grids that they are."""

import pytest

from mrtune.errors import UsageError
from mrtune.search.experiments import EXPERIMENTS, space_of, study_of, workloads_of
from mrtune.search.space import load_space
from mrtune.search.space.files import space_names

GRIDS = [
    (experiment, workload, scale)
    for experiment in EXPERIMENTS.values()
    for scale in ("full", "small")
    for workload in workloads_of(experiment, scale)
]


@pytest.mark.parametrize(("experiment", "workload", "scale"), GRIDS)
def test_every_experiment_is_a_grid_that_is_tried_whole(
    experiment: object, workload: str, scale: str
) -> None:
    space = load_space(space_of(experiment, workload, scale))  # type: ignore[arg-type]
    assert space.trainer == workload
    assert space.sampler == "grid"
    assert space.pruner == "none"
    assert len(space.grid()) == space.trials


def test_all_grids_that_ship_belong_to_an_experiment() -> None:
    used = {space_of(*grid) for grid in GRIDS}
    assert {name for name in space_names() if "_" in name} == used


def test_experiments_of_one_grid_share_a_study() -> None:
    radar, table = (EXPERIMENTS[name] for name in ("attributes", "benchmark"))
    assert study_of(radar, "celeba", "small") == study_of(table, "celeba", "small")
    assert study_of(table, "celeba", "full") != study_of(table, "celeba", "small")


def test_a_workload_without_a_grid_is_refused() -> None:
    with pytest.raises(UsageError, match=r"p has a grid for at scale small"):
        space_of(EXPERIMENTS["p"], "nyuv2", "small")


def test_a_grid_of_the_other_scale_is_named() -> None:
    said = "p-long has a grid at scale small only: add --scale small"
    with pytest.raises(UsageError, match=said):
        space_of(EXPERIMENTS["p-long"], "celeba", "full")
