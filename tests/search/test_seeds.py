from tests.search.bench import Bench, work


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
