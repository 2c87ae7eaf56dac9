import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.data.generate import generate
from tests.conftest import Outcome

TOY = str(Path(__file__).parent.parent / "training" / "toy.py")
QUICK = ("-S", "epochs=1", "-S", "p=0.5", "-S", "report_every=0.5")
Mrtune = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_reports_come_as_lines_and_the_result_as_a_table(mrtune: Mrtune) -> None:
    code, out, err = mrtune("train", TOY, *QUICK)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("seed 0  epoch 0.5  loss ")
    assert lines[1].startswith("seed 0  epoch 1  loss ")
    assert any(line.startswith("accuracy ") for line in lines)
    assert "mrtune_runs/toy-1" in lines[-1]


def test_json_ends_with_the_final_metrics(mrtune: Mrtune) -> None:
    code, out, _ = mrtune("train", TOY, *QUICK, "--json")
    objects = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [line["epoch"] for line in objects] == [0.5, 1.0, 1.0]
    assert 0 <= objects[-1]["accuracy"] <= 1
    assert 0 <= objects[-1]["val/accuracy"] <= 1
    assert objects[-1]["seeds"] == [0]


def test_several_seeds_give_mean_and_spread(mrtune: Mrtune) -> None:
    single = [
        json.loads(mrtune("train", TOY, *QUICK, "--seed", str(s), "--json").out.splitlines()[-1])
        for s in (0, 1, 2)
    ]
    out = mrtune("train", TOY, *QUICK, "--seeds", "3", "--json", "--out", "three").out
    result = json.loads(out.splitlines()[-1])
    assert result["seeds"] == [0, 1, 2]
    assert result["loss"] == pytest.approx(sum(one["loss"] for one in single) / 3)
    assert result["std"]["loss"] > 0
    assert sorted(path.name for path in Path("three").iterdir()) == ["seed-0", "seed-1", "seed-2"]
    table = mrtune("train", TOY, *QUICK, "--seeds", "2").out
    assert "mean ± std" in table


def test_every_run_has_a_folder_of_its_own(mrtune: Mrtune) -> None:
    mrtune("train", TOY, *QUICK)
    mrtune("train", TOY, *QUICK)
    assert sorted(path.name for path in Path("mrtune_runs").iterdir()) == ["toy-1", "toy-2"]
    reports = Path("mrtune_runs/toy-1/seed-0/reports.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in reports] == [0.5, 1.0]


def test_a_finished_training_is_resumed_to_its_result(mrtune: Mrtune) -> None:
    first = mrtune("train", TOY, *QUICK, "--out", "run", "--json").out.splitlines()[-1]
    again = mrtune("train", TOY, *QUICK, "--out", "run", "--json", "--resume").out.splitlines()
    assert again == [first]


def test_a_torn_checkpoint_is_told_and_the_one_before_it_used(mrtune: Mrtune) -> None:
    first = json.loads(mrtune("train", TOY, *QUICK, "--out", "run", "--json").out.splitlines()[-1])
    newest = sorted(Path("run/seed-0/checkpoints").iterdir())[-1]
    newest.write_bytes(newest.read_bytes()[:-100])
    code, out, err = mrtune("train", TOY, *QUICK, "--out", "run", "--json", "--resume")
    assert code == 0
    assert "is torn and was passed over" in err
    assert json.loads(out.splitlines()[-1])["loss"] == first["loss"]
    reports = Path("run/seed-0/reports.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in reports] == [0.5, 1.0]


def test_a_configuration_file_is_read_and_settings_go_before_it(mrtune: Mrtune) -> None:
    Path("best.yaml").write_text("epochs: 1\np: 0.5\nlr: 1e-2\nmethod: tr\n")
    result = mrtune("train", TOY, "--config", "best.yaml", "-S", "epochs=0.5", "--json").out
    assert json.loads(result.splitlines()[-1])["epoch"] == 0.5
    record = json.loads(Path("mrtune_runs/toy-1/seed-0/config.json").read_text())
    assert record["config"] == {"epochs": 0.5, "p": 0.5, "lr": 0.01, "method": "tr"}


@pytest.mark.parametrize("method", ["mr", "tr"])
def test_the_share_may_change_with_depth(mrtune: Mrtune, method: str) -> None:
    share = 'p={"shallow": 1.0, "deep": 0.5}'
    code, out, _ = mrtune("train", TOY, *QUICK, "-S", f"method={method}", "-S", share, "--json")
    assert code == 0
    assert json.loads(out.splitlines()[-1])["roaming/completion"] == 1
    record = json.loads(Path("mrtune_runs/toy-1/seed-0/config.json").read_text())
    assert record["config"]["p"] == {"shallow": 1.0, "deep": 0.5}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no workload 'nothing': name one that ships with mrtune, or a trainer file"),
        (["nothing.py"], "nothing.py: no such trainer file"),
        ([TOY, "-S", "p"], "-S must be key=value, got 'p'"),
        ([TOY, "-S", "epoch=1"], "unknown key 'epoch'; did you mean 'epochs'?"),
        ([TOY, "-S", "p=2"], "p should be less than or equal to 1, got 2"),
        ([TOY, "-S", 'p={"shallow": 1}'], "p.deep Field required, got {'shallow': 1}"),
        ([TOY, "-S", 'p={"shallow": 1, "deep": 2}'], "p.deep should be less than or equal to 1"),
        ([TOY, "--seed", "1", "--seeds", "2"], "give --seed or --seeds, not both"),
        ([TOY, "--resume"], "--resume needs --out: the folder to continue"),
        ([TOY, "--config", "none.yaml"], "Invalid value for '--config': File 'none.yaml' does not"),
        ([TOY, "--config", "twice.yaml"], "twice.yaml:2:1: the key 'p' stands twice"),
        ([TOY, "--config", "list.yaml"], "list.yaml: must hold a mapping of parameters, got [1]"),
        ([TOY, "--config", "broken.yaml"], "broken.yaml:1:6: expected ',' or ']'"),
    ],
)
def test_nonsense_is_one_line_and_exit_code_2(
    mrtune: Mrtune, arguments: list[str], message: str
) -> None:
    Path("twice.yaml").write_text("p: 0.1\np: 0.2\n")
    Path("list.yaml").write_text("[1]")
    Path("broken.yaml").write_text("p: [1")
    code, out, err = mrtune("train", *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith(f"mrtune: {message}")
    assert err.count("\n") == 1
    assert not Path("mrtune_runs").exists()


def test_what_is_stored_is_never_overwritten(mrtune: Mrtune) -> None:
    mrtune("train", TOY, *QUICK, "--out", "run")
    before = Path("run/seed-0/reports.jsonl").read_text()
    taken = mrtune("train", TOY, *QUICK, "--out", "run")
    assert taken.code == 2
    assert "holds a training already: --resume continues it" in taken.err
    other = mrtune("train", TOY, "-S", "p=0.9", "--out", "run", "--resume")
    assert other.code == 2
    assert "was trained with another configuration" in other.err
    assert Path("run/seed-0/reports.jsonl").read_text() == before


def test_a_file_without_build_is_no_trainer(mrtune: Mrtune) -> None:
    Path("mine.py").write_text("x = 1\n")
    outcome = mrtune("train", "mine.py")
    assert outcome.code == 2
    assert "mine.py must define build(config, seed, device)" in outcome.err


def test_a_diverging_training_fails_with_its_reason(mrtune: Mrtune) -> None:
    code, _, err = mrtune("train", TOY, "-S", "lr=1e30", "-S", "epochs=3")
    assert code == 1
    assert err.startswith("mrtune: the loss of bright is nan")


def on_a_terminal(*arguments: str) -> str:
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "mrtune", *arguments]
    with subprocess.Popen(command, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal closes with the process
            while part := os.read(main, 4096):
                shown += part
        assert process.wait(timeout=60) == 0
    return shown.decode()


@pytest.mark.slow
def test_on_a_terminal_a_bar_shows_epoch_loss_and_metric() -> None:
    text = on_a_terminal("train", TOY, *QUICK)
    assert "epoch 1.00/1" in text
    assert re.search(r"loss \d\.\d{4}  accuracy 0\.\d{4}", text)
    assert re.search(r"\d:\d\d:\d\d", text)  # what remains
    assert "preparing" not in text


TINY = ("-S", "width=1", "-S", "size=16", "-S", "epochs=0.1", "-S", "method=mtl")


@pytest.fixture
def faces(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Drawn faces, one of which cannot be read."""
    monkeypatch.delenv("MRTUNE_CACHE", raising=False)
    generate("celeba", Path("faces"), n=20)
    Path("faces/img_align_celeba/000002.jpg").write_bytes(b"broken")
    return Path("faces")


@pytest.mark.slow
def test_data_is_prepared_at_first_use_under_a_bar_of_its_own(faces: Path) -> None:
    arguments = ("train", "celeba", "-S", f"root={faces}", *TINY)
    assert "preparing the data, this once" in on_a_terminal(*arguments)
    assert len(list(faces.glob(".mrtune-cache/celeba-*/manifest.json"))) == 1
    assert "preparing" not in on_a_terminal(*arguments)


def test_an_unreadable_sample_is_told_and_stops_a_strict_training_only(
    mrtune: Mrtune, faces: Path
) -> None:
    code, _, err = mrtune("train", "celeba", "-S", f"root={faces}", *TINY)
    assert code == 0
    assert err.startswith("celeba: 1 of 20 samples cannot be read and are skipped")
    assert "000002.jpg" in err
    code, out, err = mrtune("train", "celeba", "-S", f"root={faces}", "-S", "strict=true", *TINY)
    assert (code, out) == (2, "")
    assert "000002.jpg cannot be read" in err


def test_the_test_split_is_looked_at_when_final_is_said(mrtune: Mrtune, faces: Path) -> None:
    arguments = ("train", "celeba", "-S", f"root={faces}", *TINY, "--json")
    selected = json.loads(mrtune(*arguments).out.splitlines()[-1])
    assert "val/f_score" in selected
    assert not any(name.startswith("test/") for name in selected)
    final = json.loads(mrtune(*arguments, "--final").out.splitlines()[-1])
    assert 0 <= final["test/f_score"] <= 1
