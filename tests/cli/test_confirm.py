"""`mrtune best --confirm-seeds`: does the gain survive seeds that the search has not seen?"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from mrtune.errors import UsageError
from mrtune.search.confirmation import confirmation_of
from mrtune.search.extension import extend
from mrtune.search.studies import reopen
from mrtune.study import close_storage, open_storage, read_study, study_names
from tests.conftest import Outcome
from tests.search.bench import Bench, work

Run = Callable[..., Outcome]


def search(bench: Bench) -> None:
    sweep = bench.sweep()
    work(sweep)
    sweep.end()


def confirmation(bench: Bench, seeds: int) -> Bench:
    """Confirm a search without Ray."""
    storage = open_storage(bench.address)
    opened = reopen(storage, bench.name)
    made = confirmation_of(opened, read_study(opened.study), seeds)
    close_storage(storage)
    confirmed = Bench(bench.folder, name=made.study.study_name)
    search(confirmed)
    return confirmed


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A search over seeds 0 and 1; the default, x = 0.5, is not the best."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=6, seeds=2, pruner="none")
    search(bench)
    return bench


@pytest.mark.slow
def test_the_best_and_the_default_are_trained_with_fresh_seeds(
    searched: Bench, mrtune: Run
) -> None:
    outcome = mrtune("best", "mine", "--confirm-seeds", "3")
    assert outcome.code == 0, outcome.err
    confirmed = Bench(searched.folder, name="mine-confirmed").read()
    first, second = confirmed.configurations
    best = searched.read().best
    assert best is not None
    assert first.trials[0].params == best.trials[0].params
    assert second.trials[0].setting["x"] == 0.5
    assert second.trials[0].default
    for configuration in (first, second):
        assert sorted(trial.seed for trial in configuration.complete) == [2, 3, 4]
        assert all(trial.epoch == 11 for trial in configuration.complete)
    assert "3 seeds in common" in outcome.out
    assert "The gain survives fresh seeds: +0.0" in outcome.out
    verdict = outcome.out.splitlines()[-1]
    assert re.search(
        r"on the validation split, \+0\.0\d+ on the held-out part .* had \+0\.0", verdict
    )

    again = mrtune("best", "mine", "--confirm-seeds", "3", "--json")
    told = json.loads(again.out.splitlines()[-1])
    assert told["study"] == "mine-confirmed"
    assert [split["split"] for split in told["splits"]] == ["val", "held-out"]
    assert all(split["metrics"][0]["difference"] > 0 for split in told["splits"])
    assert len(Bench(searched.folder, name="mine-confirmed").read().trials) == 6

    other = mrtune("best", "mine", "--confirm-seeds", "4")
    assert other.code == 2
    assert "--confirm-seeds must be 3, as mine-confirmed was begun, got 4" in other.err


def test_a_default_outside_the_space_is_trained_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=3, pruner="none", params__x={"low": 0.1, "high": 0.4}, fixed__pause=0.0)
    search(bench)
    confirmed = confirmation(bench, seeds=2)
    winner, default = confirmed.read().configurations
    assert [trial.params for trial in default.trials] == [{}, {}]
    for trial in default.complete:
        assert trial.setting == {"epochs": 11, "pause": 0.0}  # the trainer's x = 0.5
        assert trial.metrics["val/score"] == pytest.approx(0.96)
        assert trial.provenance == {"git": "abc"}
    assert len(default.complete) == len(winner.complete) == 2
    best = bench.read().best
    assert best is not None
    assert winner.trials[0].params == best.trials[0].params

    outcome = mrtune("best", "mine", "--confirm-seeds", "2")  # which finds all done
    assert outcome.code == 0, outcome.err
    assert "B  the default  pause=0  epochs=11" in outcome.out
    assert mrtune("export", "mine-confirmed", "--json", "-o", "it.json").code == 0
    assert mrtune("import", "it.json", "--study", "again").code == 0
    again = Bench(tmp_path, name="again").read().configurations[1]
    assert [t.setting for t in again.complete] == [t.setting for t in default.complete]
    assert again.mean() == default.mean()


def test_a_default_outside_the_space_gets_more_seeds(tmp_path: Path) -> None:
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=3, pruner="none", params__x={"low": 0.1, "high": 0.4})
    search(bench)
    confirmed = confirmation(bench, seeds=2)
    storage = open_storage(bench.address)
    extend(reopen(storage, confirmed.name), seeds=3)
    close_storage(storage)
    search(confirmed)
    _, default = confirmed.read().configurations
    assert [trial.setting for trial in default.complete] == [{"epochs": 11}] * 3


def test_a_confirmation_that_was_killed_while_it_began_goes_on(searched: Bench) -> None:
    storage = open_storage(searched.address)
    opened = reopen(storage, "mine")
    made = confirmation_of(opened, read_study(opened.study), 2).study
    with storage.engine.begin() as connection:
        last = text("DELETE FROM trials WHERE study_id = :study AND number = 3")
        connection.execute(last, {"study": made._study_id})
    close_storage(storage)
    confirmed = confirmation(searched, seeds=2)
    assert [len(c.complete) for c in confirmed.read().configurations] == [2, 2]
    with pytest.raises(UsageError, match="must be 2, as mine-confirmed was begun, got 3"):
        confirmation(searched, seeds=3)


def refusal(mrtune: Run, *arguments: str) -> str:
    outcome = mrtune("best", "mine", *arguments)
    assert outcome.code == 2
    return outcome.err


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--confirm-seeds", "1"), "x>=2"),
        (("--confirm-seeds", "3", "--export", "x.yaml"), "--export and --confirm-seeds are two"),
        (("--concurrency", "2"), "go with --confirm-seeds"),
    ],
)
def test_what_cannot_be_asked_is_said(
    mrtune: Run, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refusal(mrtune, *arguments)


@pytest.mark.slow
def test_a_refused_confirmation_leaves_no_study(searched: Bench, mrtune: Run) -> None:
    assert "--address" in refusal(mrtune, "--confirm-seeds", "2", "--address", "127.0.0.1:1")
    storage = open_storage(searched.address)
    assert study_names(storage) == ["mine"]
    close_storage(storage)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ({"params__x": [0.5, 0.9], "sampler": "grid"}, "no configuration beats the default"),
        (
            {
                "objective": [
                    {"metric": "score", "direction": "maximize"},
                    {"metric": "loss", "direction": "minimize"},
                ],
                "sampler": "nsga2",
            },
            "several objectives, hence no winner",
        ),
    ],
)
def test_what_has_no_gain_to_confirm_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mrtune: Run,
    space: dict[str, object],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=2, pruner="none", **space)
    search(bench)
    assert message in refusal(mrtune, "--confirm-seeds", "2")
