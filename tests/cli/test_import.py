"""`mrtune import`: what `mrtune export --json` wrote, read again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.search.queue import queue_seed
from mrtune.study import StudyRecord
from mrtune.study.keys import CURVES
from tests.conftest import Outcome
from tests.search.bench import Bench, work

Run = Callable[..., Outcome]
LOCAL = {"owner", "slot"}  # mean nothing elsewhere


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Run) -> Bench:
    """A study with complete, pruned and waiting trials, in a file."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=16, seeds=2)
    sweep = bench.sweep()
    work(sweep, slices=110)
    sweep.end()
    assert mrtune("export", "mine", "--json", "-o", "mine.json").code == 0
    return bench


def plain(record: StudyRecord) -> list[dict[str, object]]:
    return [
        {name: value for name, value in trial.to_dict().items() if name not in LOCAL}
        for trial in record.trials
    ]


def test_a_study_is_the_same_elsewhere(exported: Bench, mrtune: Run) -> None:
    outcome = mrtune("import", "mine.json", "--storage", "other.db")
    assert outcome.code == 0, outcome.err
    there = Bench(exported.folder, name="mine", url="sqlite:///other.db").read()
    here = exported.read()
    assert outcome.out == f"mine: {len(here.trials)} trials read\n"
    assert there.space == here.space
    assert there.settings == here.settings | {"runs": str(exported.folder / "mrtune_runs")}
    finished = [trial.finished for trial in here.trials]
    assert not all(finished)
    assert [trial.number for trial in here.configurations[0].trials] != [0]  # it has more seeds
    assert {t.state for t in here.trials if t.finished} == {"complete", "pruned"}
    for before, after, done in zip(plain(here), plain(there), finished, strict=True):
        if done:
            assert after == before
        else:
            assert after["state"] == "fail"
            assert after["curves"] == before["curves"]
    assert there.best is not None
    assert here.best is not None
    assert there.best.number == here.best.number
    assert mrtune("show", "mine", "--storage", "other.db").code == 0


def test_a_seed_that_waits_to_begin_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=2, pruner="none")
    sweep = bench.sweep()
    work(sweep)
    queue_seed(sweep.study, sweep.study.trials[0])
    sweep.end()
    assert mrtune("export", "mine", "--json", "-o", "mine.json").code == 0
    outcome = mrtune("import", "mine.json", "--study", "again")
    assert outcome.code == 0, outcome.err
    states = [t.state for t in Bench(tmp_path, name="again").read().trials]
    assert states == ["complete", "complete", "fail"]


def test_optuna_reads_it_as_well(exported: Bench, mrtune: Run) -> None:
    import optuna  # noqa: PLC0415

    assert mrtune("import", "mine.json", "--study", "again").code == 0
    for before, after in zip(
        optuna.load_study(study_name="mine", storage=exported.address).trials,
        optuna.load_study(study_name="again", storage=exported.address).trials,
        strict=True,
    ):
        if before.state.is_finished():
            assert after.distributions == before.distributions
            assert after.intermediate_values == before.intermediate_values
            assert after.user_attrs[CURVES] == before.user_attrs[CURVES]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "mine.json cannot be read as JSON"),
        ("{}", "this is no study that mrtune has exported: it has no 'space'"),
        ("[]", "this is no study that mrtune has exported"),
    ],
)
def test_what_is_no_study_is_refused(exported: Bench, mrtune: Run, text: str, message: str) -> None:
    (exported.folder / "mine.json").write_text(text)
    outcome = mrtune("import", "mine.json", "--storage", "other.db")
    assert outcome.code == 2
    assert message in outcome.err


def test_a_parameter_outside_its_space_is_refused(exported: Bench, mrtune: Run) -> None:
    content = json.loads((exported.folder / "mine.json").read_text())
    del content["trials"][0]["params"]["x"]
    (exported.folder / "mine.json").write_text(json.dumps(content))
    outcome = mrtune("import", "mine.json", "--storage", "other.db")
    assert outcome.code == 2
    assert "'x'" in outcome.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("curves", None),
        ("curves", [1]),
        ("curves", {"score": ["high"]}),
        ("metrics", {"score": "high"}),
        ("seed", "one"),
        ("values", [1.0, 2.0]),
        ("rungs", [{"height": 3}]),
    ],
)
def test_what_could_not_be_read_again_is_not_stored(
    exported: Bench, mrtune: Run, part: str, wrong: object
) -> None:
    content = json.loads((exported.folder / "mine.json").read_text())
    content["trials"][0][part] = wrong
    (exported.folder / "mine.json").write_text(json.dumps(content))
    outcome = mrtune("import", "mine.json", "--storage", "other.db")
    assert outcome.code == 2
    assert "this is no study that mrtune has exported" in outcome.err
    assert mrtune("ls", "--storage", "other.db", "--json").out == ""


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"settings": {"trials": 3, "seed": 0, "grace": "x", "runs": ""}}, "grace: Input should"),
        ({"name": ".."}, "a name, without slashes, and not a path, got '..'"),
        ({"name": "/etc"}, "got '/etc'"),
    ],
)
def test_what_breaks_a_rule_is_named(
    exported: Bench, mrtune: Run, part: dict[str, object], message: str
) -> None:
    content = json.loads((exported.folder / "mine.json").read_text())
    (exported.folder / "mine.json").write_text(json.dumps(content | part))
    outcome = mrtune("import", "mine.json", "--storage", "other.db")
    assert outcome.code == 2
    assert message in outcome.err
    assert mrtune("ls", "--storage", "other.db", "--json").out == ""


def test_to_remove_it_leaves_the_files_of_the_original(exported: Bench, mrtune: Run) -> None:
    best = exported.read().best
    assert best is not None
    log = Path(best.trials[0].slot or "") / "log.txt"
    assert log.exists()
    assert mrtune("import", "mine.json", "--storage", "other.db", "--runs", "runs").code == 0
    assert mrtune("rm", "mine", "--yes", "--storage", "other.db").code == 0
    assert log.exists()


def test_a_name_that_is_taken_is_refused(exported: Bench, mrtune: Run) -> None:
    outcome = mrtune("import", str(exported.folder / "mine.json"))
    assert outcome.code == 2
    assert "there is a study 'mine' already: --study NAME gives it another name" in outcome.err
    assert "`mrtune rm mine` makes room" in outcome.err
