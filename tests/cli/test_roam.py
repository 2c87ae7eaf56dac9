import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

FIGURE = ["--units", "10", "--tasks", "2", "--p", "0.6", "--delta", "1", "--r", "1", "--seed", "0"]
Mrtune = Callable[..., Outcome]


def test_the_papers_figure_as_text(mrtune: Mrtune) -> None:
    code, out, err = mrtune("roam", *FIGURE)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line.strip()[:1].isdigit()][1:]
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4"]
    assert [row[-1] for row in rows] == ["60.0%", "70.0%", "80.0%", "90.0%", "100.0%"]
    assert [row[-2] for row in rows] == [row[-1] for row in rows]
    assert [row[2].count("◆") for row in rows] == [0, 1, 1, 1, 1]
    assert "The plan is done at epoch 4" in out


def test_json_has_one_object_per_state_from_the_first_on(mrtune: Mrtune) -> None:
    code, out, _ = mrtune("roam", *FIGURE, "--json")
    states = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [state["step"] for state in states] == [0, 1, 2, 3, 4]
    assert all(set(state) == {"step", "active", "visited", "relaxed"} for state in states)
    assert all(len(row) == 6 for state in states for row in state["active"])
    assert states[0]["active"] == states[0]["visited"]
    assert states[-1]["visited"] == [list(range(10))] * 2


def test_the_seed_decides(mrtune: Mrtune) -> None:
    runs = [mrtune("roam", "--json", "--seed", seed).out for seed in ("0", "0", "1")]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    "options",
    [
        ["--init", "bernoulli"],
        ["--selection", "cosine"],
        ["--no-coverage-guard"],
        ["--finish-at", "2"],
        ["--r", "0.5"],
        ["--epochs", "3"],
    ],
)
def test_each_option_changes_what_happens(mrtune: Mrtune, options: list[str]) -> None:
    setting = ["roam", "--units", "40", "--tasks", "4", "--p", "0.3"]
    assert mrtune(*setting, *options).out != mrtune(*setting).out


def test_relaxations_are_counted_and_told(mrtune: Mrtune) -> None:
    setting = ["roam", "--units", "12", "--tasks", "3", "--p", "0"]
    last = json.loads(mrtune(*setting, "--json").out.splitlines()[-1])
    assert last["relaxed"] > 0
    assert f"{last['relaxed']} swap" in mrtune(*setting).out
    assert "left a unit without a task" in mrtune(*setting).out


def test_a_long_history_is_thinned_to_its_first_and_last_states(mrtune: Mrtune) -> None:
    out = mrtune("roam", "--units", "200", "--p", "0.5").out
    assert "24 of 101 states shown" in out
    assert "100.0%  100.0%" in out


def test_an_unfinished_plan_is_told(mrtune: Mrtune) -> None:
    assert "2 of 4 swaps are done when training ends" in mrtune("roam", "--epochs", "2.5").out


def test_the_forecast_of_a_network(mrtune: Mrtune) -> None:
    """Celeb-A: 636 batches of 256, p = 0.5, Δ = 0.1 ends after 25.8 epochs (method.md)."""
    setting = ["roam", "--layers=resnet18", "--tasks=8", "--p=0.5", "--delta=0.1", "--batches=636"]
    code, out, _ = mrtune(*setting, "--epochs", "20")
    assert code == 0
    assert "the plan ends at epoch 25.76; at epoch 20, 87.9% of it is done" in out
    assert "layer4.1.conv2" in out
    assert "Training ends before the plan does" in out
    *layers, network = [json.loads(line) for line in mrtune(*setting, "--json").out.splitlines()]
    assert network == {
        "network": "resnet18",
        "epochs": network["end"],
        "end": 16384 / 636,
        "done": 1,
    }
    assert len(layers) == 20
    assert layers[-1] == {
        "name": "layer4.1.conv2",
        "units": 512,
        "held": 256,
        "swaps": 256,
        "interval": 64.0,
        "end": 256 * 64 / 636,
        "done": 1.0,
    }


def test_finish_at_ends_all_layers_of_segnet_in_time(mrtune: Mrtune) -> None:
    out = mrtune("roam", "--layers=segnet", "--finish-at=10", "--epochs=10", "--json").out
    assert {json.loads(line)["done"] for line in out.splitlines()} == {1.0}


def test_a_plan_that_cannot_be_done_in_time_is_told(mrtune: Mrtune) -> None:
    out = mrtune("roam", "--finish-at=1", "--batches=2", "--p=0.2").out
    assert "It cannot be done by epoch 1: 5 swaps, one a batch at most, take 2.5 epochs" in out
    out = mrtune("roam", "--layers=resnet18", "--finish-at=1", "--batches=2", "--epochs=1").out
    assert "It cannot be done by epoch 1: 204 swaps" in out
    assert "would fit it in" not in out


def test_equation_4_holds_for_rows_that_are_done_before_others(mrtune: Mrtune) -> None:
    out = mrtune("roam", "--init=bernoulli", "--r=0.5", "--seed=3", "--units=20", "--tasks=4").out
    rows = [line.split() for line in out.splitlines() if line.strip()[:1].isdigit()][1:]
    shares = [[float(share.rstrip("%")) for share in row[-2:]] for row in rows]
    assert all(visited == pytest.approx(expected, abs=0.11) for visited, expected in shares)


def test_a_table_that_is_too_wide_shows_numbers_only(mrtune: Mrtune) -> None:
    for setting in (["--units=12", "--tasks=5"], ["--units=2", "--tasks=32"], ["--units=20"]):
        out = mrtune("roam", *setting).out
        assert "…" not in out
        assert "100.0%" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--p 1.5", "p must be a number from 0 to 1, got 1.5"),
        ("--p nan", "p must be a number from 0 to 1, got nan"),
        ("--r -1", "r must be a number from 0 to 1, got -1.0"),
        ("--delta 0", "delta must be a number above 0 and at most 1e+06, got 0.0"),
        ("--delta 1 --finish-at 1", "plan must be given by delta or by finish_at, one of them"),
        ("--units 0", "units must be a whole number of at least 1, got 0"),
        ("--tasks -2", "tasks must be a whole number of at least 1, got -2"),
        ("--batches 0", "batches must be a whole number of at least 1, got 0"),
        ("--epochs inf", "epochs must be a number above 0 and at most 1e+06, got inf"),
        ("--init magic", "init must be one of exact, bernoulli, got 'magic'"),
        ("--selection best", "selection must be one of uniform, cosine, got 'best'"),
        ("--layers vgg", "layers must be one of resnet18, segnet, got 'vgg'"),
        ("--layers segnet --p 2", "p must be a number from 0 to 1, got 2.0"),
        ("--layers segnet --html x.html", "--layers forecasts a whole network: leave --html out"),
        ("--layers segnet --units 3", "--layers forecasts a whole network: leave --units out"),
        ("--layers segnet --no-coverage-guard", "--layers forecasts a whole network: leave"),
        ("--delta 1e308", "delta must be a number above 0 and at most 1e+06, got 1e+308"),
        ("--seed 99999999999999999999", "seed must be a whole number from 0 to 2"),
        ("--units 99999999999999", "units × tasks must be at most 10,000,000, got"),
        ("--html /nowhere/x.html", "--html /nowhere/x.html: cannot be written: No such file"),
    ],
)
def test_nonsense_is_one_line_and_exit_code_2(mrtune: Mrtune, options: str, message: str) -> None:
    code, _, err = mrtune("roam", *options.split())
    assert code == 2
    assert err.startswith(f"mrtune: {message}")
    assert err.count("\n") == 1


def test_the_page_is_self_contained(mrtune: Mrtune, tmp_path: Path) -> None:
    page = tmp_path / "roam.html"
    code, _, err = mrtune("roam", *FIGURE, "--html", str(page))
    assert code == 0
    assert err == f"The picture is in {page}: open it in a browser.\n"
    text = page.read_text(encoding="utf-8")
    assert "<script src=" not in text
    assert "Maximum Roaming of one layer" in text
