import pytest
from optuna import Study
from optuna.trial import FrozenTrial

from mrtune.errors import UsageError
from mrtune.search.extension import extend
from mrtune.search.queue import queue_seed
from mrtune.search.studies import reopen
from mrtune.study import close_storage, open_storage
from tests.search.bench import Bench, work


def longer(bench: Bench, seeds: int) -> None:
    storage = open_storage(bench.address)
    extend(reopen(storage, bench.name), seeds=seeds)
    close_storage(storage)


def search(bench: Bench) -> None:
    sweep = bench.sweep()
    work(sweep)
    sweep.end()


def seeds_of(bench: Bench) -> list[list[int]]:
    return [[t.seed for t in c.trials] for c in bench.read().configurations]


def test_all_configurations_get_all_seeds_where_nothing_is_pruned(bench: Bench) -> None:
    bench.begin(trials=3, seed=5, seeds=3, pruner="none")
    work(bench.sweep())
    record = bench.read()
    assert len(record.configurations) == 3
    for configuration in record.configurations:
        assert [t.seed for t in configuration.trials] == [5, 6, 7]
        assert len({tuple(t.params.items()) for t in configuration.trials}) == 1


def test_a_hopeless_configuration_is_not_given_its_other_seeds(bench: Bench) -> None:
    bench.begin(trials=10, seeds=3)
    work(bench.sweep())
    record = bench.read()
    assert len(record.configurations) == 10
    assert record.best is not None
    assert len(record.best.complete) == 3
    assert min(len(c.trials) for c in record.configurations) == 1
    assert record.default is not None
    assert len(record.default.complete) == 3  # which all are compared with


def test_the_best_is_judged_by_its_mean_over_seeds(bench: Bench) -> None:
    bench.begin(trials=4, seeds=2, pruner="none")
    work(bench.sweep())
    record = bench.read()
    means = {c.number: c.mean() for c in record.configurations}
    assert record.best is not None
    assert record.best.number == max(means, key=lambda number: means[number] or 0)


def test_a_finished_study_can_be_given_more_seeds(bench: Bench) -> None:
    bench.begin(trials=2, seed=5, seeds=1, pruner="none")
    search(bench)
    before = {t.number: t.values for t in bench.read().trials}
    longer(bench, 3)
    assert not bench.read().done
    longer(bench, 3)  # nothing is queued twice
    search(bench)
    assert seeds_of(bench) == [[5, 6, 7], [5, 6, 7]]
    assert before.items() <= {t.number: t.values for t in bench.read().trials}.items()
    assert bench.read().done


def test_whoever_joins_a_search_queues_no_seed_that_it_queues_itself(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_that_moment(study: Study, trial: FrozenTrial) -> None:
        longer(bench, 2)
        queue_seed(study, trial)

    monkeypatch.setattr("mrtune.search.sweep.queue_seed", at_that_moment)
    bench.begin(trials=2, seeds=2, pruner="none")
    search(bench)
    assert seeds_of(bench) == [[0, 1], [0, 1]]


def test_only_the_best_share_gets_more_seeds_where_poor_ones_are_pruned(bench: Bench) -> None:
    bench.begin(trials=9, seeds=1)
    search(bench)
    longer(bench, 2)
    queued = [c for c in bench.read().configurations if len(c.trials) == 2]
    assert 1 <= len(queued) <= 4  # a third of at most nine, and the default
    search(bench)
    assert bench.read().best in [c for c in bench.read().configurations if len(c.trials) == 2]


def test_a_seed_that_was_not_queued_in_time_is_made_up_for(bench: Bench) -> None:
    bench.begin(trials=2, seeds=1, pruner="none")
    search(bench)
    storage = open_storage(bench.address)
    study = reopen(storage, bench.name).study
    queue_seed(study, study.get_trials()[0])  # and killed before the other one
    close_storage(storage)
    longer(bench, 2)
    search(bench)
    assert seeds_of(bench) == [[0, 1], [0, 1]]


def test_a_study_that_is_searched_gets_no_seeds(bench: Bench) -> None:
    bench.begin(trials=1, seeds=1)
    sweep = bench.sweep()
    with pytest.raises(UsageError, match="--seeds needs study to be at rest"):
        longer(bench, 2)
    sweep.end()


def test_seeds_are_not_taken_away(bench: Bench) -> None:
    bench.begin(trials=1, seeds=3)
    with pytest.raises(UsageError, match="--seeds must be at least 3, as study has, got 2"):
        longer(bench, 2)
