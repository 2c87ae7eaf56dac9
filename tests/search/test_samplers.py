import sys

import optuna
import pytest

from mrtune.errors import UsageError
from mrtune.search.samplers import proposer
from tests.search.bench import Bench, work

SAMPLERS = ("tpe", "gp", "cmaes", "random", "qmc", "nsga2")


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler_proposes_within_the_space_and_repeats_itself(
    bench: Bench, sampler: str
) -> None:
    bench.begin(trials=7, seed=3, sampler=sampler, pruner="none", budget__epochs=2)
    work(bench.sweep())
    drawn = [t.params["x"] for t in bench.read().trials]
    assert all(0 <= x <= 1 for x in drawn)
    assert len(set(drawn)) == 7
    again = Bench(bench.folder / "again")
    again.folder.mkdir()
    again.begin(trials=7, seed=3, sampler=sampler, pruner="none", budget__epochs=2)
    for _ in range(7):  # by a new process each
        sweep = again.sweep()
        work(sweep, slices=3)
        sweep.end()
    assert [t.params["x"] for t in again.read().trials] == drawn
    other = Bench(bench.folder / "other")
    other.folder.mkdir()
    other.begin(trials=7, seed=4, sampler=sampler, pruner="none", budget__epochs=2)
    work(other.sweep())
    assert [t.params["x"] for t in other.read().trials] != drawn


def test_a_sampler_of_one_objective_refuses_two() -> None:
    with pytest.raises(UsageError, match="sampler 'gp' knows one objective, the search has 2"):
        proposer("gp", 0, 10, 2)


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(UsageError, match=r"needs cmaes: pip install 'mrtune\[samplers\]'"):
        proposer("cmaes", 0, 10, 1)


@pytest.mark.parametrize("pruner", ["asha", "hyperband", "median", "wilcoxon"])
def test_every_pruner_stops_poor_trials_but_none_within_the_grace(
    bench: Bench, pruner: str
) -> None:
    bench.begin(trials=16, pruner=pruner, sampler="random", budget__grace=3)
    work(bench.sweep())
    record = bench.read()
    pruned = [t for t in record.trials if t.state == "pruned"]
    assert pruned, record.counts
    assert all(t.epoch >= 3 for t in pruned)
    assert record.best is not None
    best = max(t.params["x"] == record.best.trials[0].params["x"] for t in record.trials)
    assert best
    study = optuna.load_study(study_name="study", storage=bench.address)
    assert study.best_trial.number == record.best.number
