"""`mrtune paper`: an experiment from its grid to its figure and tables."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.cli.paper import NAMES
from mrtune.search.experiments import EXPERIMENTS
from tests.conftest import Outcome
from tests.search.finished import finished

Run = Callable[..., Outcome]
TINY = ("-S", "params.p=[0.5]", "-S", "budget.epochs=1", "-S", "fixed.width=2")
TINY += ("-S", "params.finish_at.choices=[0.5]", "-S", "trials=2")


def test_experiments_are_listed_with_their_workloads(mrtune: Run) -> None:
    outcome = mrtune("paper", "list")
    assert outcome.code == 0
    for name in ("p", "delta-r", "selection", "benchmark", "attributes"):
        assert any(line.startswith(f"{name} ") for line in outcome.out.splitlines())


def test_every_experiment_can_be_named() -> None:
    assert tuple(EXPERIMENTS) == NAMES  # a copy, so that `--help` imports no search


def test_an_unknown_workload_is_refused(mrtune: Run) -> None:
    outcome = mrtune("paper", "run", "p", "--workload", "mnist")
    assert outcome.code == 2
    assert "--workload must be one that p has a grid for" in outcome.err


@pytest.mark.slow
def test_what_is_finished_is_written_without_more_ado(mrtune: Run, tmp_path: Path) -> None:
    """As that of the attributes, which are of the same study as the benchmark."""
    storage = finished(tmp_path, "paper-benchmark-fashion-small", "fashion_benchmark")
    for name in ("benchmark", "attributes"):
        run = ("paper", "run", name, "--workload", "fashion", "--scale", "small")
        outcome = mrtune(*run, "--storage", str(storage), "-o", str(tmp_path / name))
        assert outcome.code == 0, outcome.err
        assert (tmp_path / name / "page.html").exists()


@pytest.mark.slow
def test_what_is_pooled_is_said_beside_the_table(mrtune: Run, tmp_path: Path) -> None:
    ends = [("params.finish_at.choices", [3, 5])]
    storage = finished(tmp_path, "paper-p-fashion-small", "fashion_p", ends)
    run = ("paper", "run", "p", "--workload", "fashion", "--scale", "small", "--resume")
    outcome = mrtune(*run, "--storage", str(storage), "-o", str(tmp_path / "out"))
    assert outcome.code == 0, outcome.err
    assert "Some bars are of several configurations" in outcome.out


@pytest.mark.slow
def test_an_experiment_ends_with_its_figure_and_tables(
    mrtune: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("paper", "run", "p", "--workload", "fashion", "--scale", "small", "-q")
    outcome = mrtune(*run, *TINY, "--seeds", "2")
    assert outcome.code == 0, outcome.err
    assert "paper/paper-p-fashion-small-p" in outcome.out
    folder = tmp_path / "paper" / "paper-p-fashion-small-p"
    assert "Plotly.newPlot" in (folder / "page.html").read_text()
    (table,) = folder.glob("*.csv")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["p"] for row in rows] == ["0.5"]
    assert table.with_suffix(".tex").read_text().startswith(r"\begin{tabular}")
    assert table.with_suffix(".txt").read_text().splitlines()[0] in outcome.out

    refused = mrtune(*run, *TINY, "--seeds", "3")
    assert refused.code == 2
    assert "paper-p-fashion-small was begun before; --resume goes on with it" in refused.err
    assert "validation split" in (folder / "page.html").read_text()
    for other, rule in (
        (("--seed", "3"), "--seed must be 0, as paper-p-fashion-small was begun, got 3"),
        (
            ("-S", "fixed.width=3"),
            "-S must be fixed.width=2, as paper-p-fashion-small was",
        ),
        (("--seeds", "1"), "--seeds must be at least 2, as paper-p-fashion-small has, got 1"),
        (("--runs", "away"), f"--runs must be {tmp_path / 'mrtune_runs'}, as paper-p-fashion-"),
    ):
        refused = mrtune(*run, "--resume", *other)
        assert refused.code == 2
        assert rule in refused.err
    again = mrtune(*run, *TINY, "--resume", "--out", "elsewhere", "--split", "held-out")
    assert again.code == 0, again.err
    assert "on the held-out part" in (tmp_path / "elsewhere" / "page.html").read_text()
    assert "on the held-out part" in again.out
