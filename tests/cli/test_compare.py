"""`mrtune compare`: two configurations over seeds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mrtune.metrics import paired
from tests.conftest import Outcome
from tests.search.bench import Bench, work

Run = Callable[..., Outcome]
HELD_OUT = ("--split", "held-out")


@pytest.fixture(autouse=True)
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Three seeds of each of two configurations: x = 0.25, the better one, and x = 0.5."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=2, seeds=3, pruner="none", sampler="grid", params__x=[0.25, 0.5])
    sweep = bench.sweep()
    work(sweep)
    sweep.end()
    return bench


def names(study: Bench) -> tuple[str, str]:
    """Name a trial of each configuration, the better one first."""
    by_x = {trial.params["x"]: trial.number for trial in study.read().trials}
    return f"mine/{by_x[0.25]}", f"mine/{by_x[0.5]}"


def changed(
    study: Bench, mrtune: Run, name: str, change: Callable[[dict[str, Any]], None], trial: int = -1
) -> None:
    """Store the study again, with one of its trials, or all of them, changed."""
    content = json.loads(mrtune("export", "mine", "--json").out)
    for of in content["trials"]:
        if trial in {-1, of["number"]}:
            change(of)
    (study.folder / f"{name}.json").write_text(json.dumps(content))
    assert mrtune("import", f"{name}.json", "--study", name).code == 0


def test_a_trainer_file_is_the_same_wherever_it_lay(study: Bench, mrtune: Run) -> None:
    content = json.loads(mrtune("export", "mine", "--json").out)
    content["space"]["trainer"] = "/of/a/job/quadratic.py"
    (study.folder / "job.json").write_text(json.dumps(content))
    assert mrtune("import", "job.json", "--study", "job").code == 0
    assert mrtune("compare", "mine", "job").code == 0
    content["space"]["trainer"] = "/of/a/job/other.py"
    (study.folder / "other.json").write_text(json.dumps(content))
    assert mrtune("import", "other.json", "--study", "other").code == 0
    said = "A and B must be of one workload, got quadratic.py and other.py"
    assert said in mrtune("compare", "mine", "other").err


def test_paired_differences_are_told(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    told = json.loads(mrtune("compare", better, worse, "--metric", "loss", *HELD_OUT, "--json").out)
    (row,) = told["metrics"]
    assert told["split"] == "held-out"
    values: dict[float, dict[int, float]] = {0.25: {}, 0.5: {}}
    for trial in study.read().trials:
        values[trial.params["x"]][trial.seed] = trial.metrics["loss"]
    wanted = paired(values[0.5], values[0.25])  # less is better
    assert row["paired"]["difference"] == pytest.approx(wanted.difference)
    assert row["difference"] == pytest.approx(-wanted.difference)
    assert row["low"] <= row["difference"] <= row["high"] < 0
    assert row["p_holm"] == pytest.approx(wanted.p)
    assert row["a"]["n"] == row["b"]["n"] == 3
    assert told["delta_m"] is None  # its metrics are of no task that we know


def test_the_verdict_is_in_words(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    outcome = mrtune("compare", better, worse)
    assert outcome.code == 0
    assert "x=0.25" in outcome.out
    assert "validation split, 3 seeds in common, paired t test" in outcome.out
    assert "score: A is better by +0.0375, the same on every seed" in outcome.out
    assert "score: A is worse by −0.0375" in mrtune("compare", worse, better).out
    by = ("--metric", "score", "--metric", "loss", *HELD_OUT)
    both = mrtune("compare", worse, better, *by).out
    assert "held-out part of the training split, 3 seeds in common" in both
    assert "corrected for 2 metrics" in both
    assert "loss: A is worse by +0.0" in both
    assert json.loads(mrtune("compare", better, worse, "--json").out)["split"] == "val"


def test_the_difference_is_told_before_its_size(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    number = int(better.partition("/")[2])
    changed(
        study,
        mrtune,
        "uneven",
        lambda trial: trial["metrics"].update({"val/score": 1.0175}),  # 0.02 more than the others
        number,
    )
    said = "score: A is better by +0.0442, 3.8 standard deviations of the differences"
    assert said in mrtune("compare", f"uneven/{number}", worse).out


def test_a_test_that_can_show_nothing_says_so(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    outcome = mrtune("compare", better, worse, "--test", "signed-rank")
    said = "3 seeds are too few to show anything: the signed-rank test gives no p below 0.25"
    assert said in outcome.out
    assert "too few" not in mrtune("compare", better, worse).out


def test_delta_m_names_its_metrics(study: Bench, mrtune: Run) -> None:
    changed(study, mrtune, "known", lambda trial: trial["metrics"].update({"val/f_score": 0.5}))
    outcome = mrtune("compare", "known", "known", "--metric", "f_score")
    assert "Δm of A over B: +0.00 % (f_score)" in outcome.out


def test_a_metric_that_one_training_lacks_is_refused(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    number = int(better.partition("/")[2])
    changed(study, mrtune, "less", lambda trial: trial["metrics"].pop("val/score"), number)
    outcome = mrtune("compare", f"less/{number}", worse)
    assert outcome.code == 2
    assert f"less/{number} reports no 'score' on --split val" in outcome.err


def test_contenders_are_of_one_workload(study: Bench, mrtune: Run) -> None:
    content = json.loads(mrtune("export", "mine", "--json").out)
    content["space"]["trainer"] = "fashion"
    (study.folder / "fashion.json").write_text(json.dumps(content))
    assert mrtune("import", "fashion.json", "--study", "fashion").code == 0
    outcome = mrtune("compare", "mine", "fashion")
    assert outcome.code == 2
    assert "A and B must be of one workload, got " in outcome.err


def test_a_seed_without_a_number_is_not_left_out(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    number = int(better.partition("/")[2])
    changed(
        study, mrtune, "broken", lambda trial: trial["metrics"].update({"val/score": None}), number
    )
    outcome = mrtune("compare", f"broken/{number}", worse)
    assert outcome.code == 0
    assert "score: nothing can be said, for it is no number in some training" in outcome.out
    assert "better" not in outcome.out


def test_a_study_stands_for_its_best_and_a_method_for_its_own(study: Bench, mrtune: Run) -> None:
    better, worse = names(study)
    assert (
        mrtune("compare", "mine", worse).out.splitlines()[2:]
        == (mrtune("compare", better, worse).out.splitlines()[2:])
    )
    same = mrtune("compare", "mine/quadratic", better)  # a trainer without methods is one
    assert "no difference beyond chance" in same.out


def test_one_seed_tells_nothing_about_chance(mrtune: Run, tmp_path: Path) -> None:
    other = Bench(tmp_path, name="other")
    other.begin(trials=1, seeds=1, pruner="none")
    sweep = other.sweep()
    work(sweep)
    sweep.end()
    assert "one seed tells nothing about chance" in mrtune("compare", "mine", "other").out
    (row,) = json.loads(mrtune("compare", "mine", "other", "--json").out)["metrics"]
    assert row["p_holm"] is None

    apart = Bench(tmp_path, name="apart")
    apart.begin(trials=1, seed=7, pruner="none")
    sweep = apart.sweep()
    work(sweep)
    sweep.end()
    refused = mrtune("compare", "mine", "apart")
    assert refused.code == 2
    assert "must have seeds in common, got 0, 1, 2 of mine and 7 of apart" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mine/9", "mine"), "mine has no trial 9"),
        (("mine/mtl", "mine"), "mine has complete trials of quadratic; got 'mtl'"),
        (("yours", "mine"), "no study 'yours'"),
        (("mine", "mine", "--metric", "scor"), "that mine reports, such as score, got 'scor'"),
        (("mine", "mine", "--metric", "epoch", *HELD_OUT), "reports, such as loss, score, got"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    arguments: tuple[str, ...], message: str, mrtune: Run
) -> None:
    outcome = mrtune("compare", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
