"""The commands that look at studies and ask things of them; what is searched is in test_search."""

import csv
import io
import json
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from mrtune.search.outcome import Outcome as News
from mrtune.search.queue import queue_seed
from mrtune.study.control import ask
from tests.browser import chromium
from tests.conftest import Outcome, missing
from tests.search.bench import Bench, work

Run = Callable[..., Outcome]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A finished study of six configurations, two seeds for the good ones."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=6, seeds=2)
    sweep = bench.sweep()
    work(sweep)
    sweep.end()
    return bench


def test_ls_lists_studies_with_their_state_and_best(study: Bench, mrtune: Run) -> None:
    outcome = mrtune("ls")
    assert outcome.code == 0
    assert "mine" in outcome.out
    assert "finished" in outcome.out
    (line,) = mrtune("ls", "--json").out.splitlines()
    best = study.read().best
    assert best is not None
    assert json.loads(line)["best"] == best.mean()


def test_status_is_about_the_newest_study_unless_told(study: Bench, mrtune: Run) -> None:
    assert study.name in mrtune("status").out
    status = json.loads(mrtune("status", "mine", "--json").out)
    assert status["state"] == "finished"
    assert status["counts"]["running"] == 0
    assert mrtune("status", "--watch").code == 0  # it is over, so there is nothing to wait for


def test_status_tells_machines_from_what_waits_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=2)
    sweep = bench.sweep()
    jobs = [sweep.next_job(), sweep.next_job()]
    assert jobs[0] is not None
    sweep.take(jobs[0].number, News(place={"host": "node-1"}))
    sweep._mirror.flush()
    assert "node-1 (1 running), 1 waiting for a machine" in mrtune("status").out
    status = json.loads(mrtune("status", "--json").out)
    assert status["machines"] == [{"host": "node-1", "alive": True, "trials": [0]}]
    assert status["waiting_for_machine"] == [1]
    sweep.end()


def test_show_lists_trials_the_best_first(study: Bench, mrtune: Run) -> None:
    outcome = mrtune("show", "mine")
    record = study.read()
    rows = [line.split() for line in outcome.out.splitlines()]
    table = rows[[row[:1] == ["trial"] and "seed" in row for row in rows].index(True) + 1 :]
    numbers = [int(row[0]) for row in table if row and row[0].isdigit()]
    values = [record.trials[n].values for n in numbers if record.trials[n].state == "complete"]
    assert len(numbers) == len(record.trials)
    assert values == sorted(values, reverse=True)
    assert len(mrtune("show", "mine", "--json").out.splitlines()) == len(record.trials)


def test_show_tells_everything_about_one_trial(study: Bench, mrtune: Run) -> None:
    outcome = mrtune("show", "mine/0")
    assert outcome.code == 0
    for part in ("● complete", "x=0.5", "val/score", "0.96", "abc", "00000"):
        assert part in outcome.out, part
    assert json.loads(mrtune("show", "mine/0", "--json").out)["params"] == {"x": 0.5}
    assert study.read().trials[0].params == {"x": 0.5}


def test_best_is_exported_for_training(study: Bench, mrtune: Run, tmp_path: Path) -> None:
    outcome = mrtune("best", "mine", "--export", "best.yaml")
    assert outcome.code == 0
    assert "over 2 seeds" in outcome.out
    assert "against the default's 0.96" in outcome.out
    best = study.read().best
    assert best is not None
    assert yaml.safe_load(Path("best.yaml").read_text()) == best.trials[0].setting
    assert json.loads(mrtune("best", "mine", "--json").out)["trial"] == best.number
    trained = mrtune(
        *("train", str(Path(__file__).parent.parent / "search" / "quadratic.py")),
        *("--config", "best.yaml", "--json", "--out", str(tmp_path / "run")),
    )
    assert trained.code == 0
    final = json.loads(trained.out.splitlines()[-1])
    assert final["score"] == best.trials[0].values[0]  # type: ignore[index]


def test_logs_print_what_the_trial_printed(study: Bench, mrtune: Run) -> None:
    for arguments in (("logs", "mine/0"), ("logs", "mine/0", "-f")):
        lines = mrtune(*arguments).out.splitlines()
        assert len(lines) == 11
        assert lines[-1].startswith("epoch 11  score 0.95")
    assert study.read().trials[0].state == "complete"


def test_a_log_that_is_not_here_is_said_to_be_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "shared"
    bench = Bench(tmp_path, name="mine", runs=str(there))
    bench.begin(trials=2)
    sweep = bench.sweep()
    job = sweep.next_job()
    assert job is not None
    queue_seed(sweep.study, sweep.live[job.number].trial)
    sweep._mirror.flush()

    def refusal(trial: int = 0, *options: str) -> str:
        outcome = mrtune("logs", f"mine/{trial}", *options)
        assert outcome.code == 2
        (line,) = outcome.err.splitlines()
        return line.removeprefix("mrtune: ")

    slot = job.slot
    assert refusal(1) == "mine/1 has no log: it has not begun"
    unseen = f"mine/0 has its log in {slot} of the machine that ran it, which is not seen from here"
    assert refusal() == f"{unseen}: read it there"
    sweep.take(job.number, News(place={"host": "node-1"}))
    sweep._mirror.flush()
    unseen = f"mine/0 has its log in {slot} of node-1, which is not seen from here"
    for options in ((), ("--follow",)):
        assert refusal(0, *options) == f"{unseen}: `ssh node-1 cat {slot}/log.txt` prints it"
    there.mkdir()
    seen = f"mine/0 has no log: there is no log.txt in {slot}, where node-1 writes it"
    assert refusal() == seen
    sweep.end()


def test_exports_hold_every_trial(study: Bench, mrtune: Run) -> None:
    record = study.read()
    rows = list(csv.DictReader(io.StringIO(mrtune("export", "mine", "--csv").out)))
    assert [int(row["trial"]) for row in rows] == [t.number for t in record.trials]
    assert float(rows[0]["x"]) == 0.5
    assert float(rows[0]["value/score"]) == record.trials[0].values[0]  # type: ignore[index]
    assert mrtune("export", "mine", "--json", "-o", "all.json").code == 0
    content = json.loads(Path("all.json").read_text())
    assert [t["curves"] for t in content["trials"]] == [t.curves for t in record.trials]


def test_rm_asks_then_removes_the_study_and_its_folder(
    study: Bench, mrtune: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert mrtune("rm", "mine").code == 130
    assert study.read().trials
    (own,) = (study.folder / "runs").iterdir()
    assert list(own.rglob("log.txt"))
    beside = own.with_name("mine")  # of a study of this name in another storage, say
    beside.mkdir()
    assert mrtune("rm", "mine", "--yes").code == 0
    assert list((study.folder / "runs").iterdir()) == [beside]
    assert mrtune("ls").out.strip() == "no study yet"


def test_a_paused_search_goes_on_where_it_runs_and_takes_no_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="mine")
    bench.begin(trials=2)
    sweep = bench.sweep()
    ask(sweep.study, "pause")
    refused = mrtune("resume", "mine", "--trials", "5")
    assert refused.code == 2
    assert "mine is paused: `mrtune resume mine` lets it go on where it runs" in refused.err
    assert bench.read().state == "paused"
    told = json.loads(mrtune("resume", "mine", "--json").out)
    assert told == {"study": "mine", "state": "running"}
    assert bench.read().control == "run"
    sweep.end()


@pytest.mark.slow
def test_a_storage_that_takes_nothing_more_is_told_in_one_line(study: Bench, mrtune: Run) -> None:
    assert mrtune("export", "mine", "--json", "-o", "mine.json").code == 0
    full = [sys.executable, "-m", "mrtune", "import", "mine.json", "--study", "x"]
    size = (study.folder / "mrtune.db").stat().st_size
    done = subprocess.run(
        full,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert done.returncode == 1
    assert done.stderr.startswith("mrtune: the storage fails: ")
    assert len(done.stderr.splitlines()) == 1
    assert study.read().best is not None


@pytest.mark.parametrize("request_", ["pause", "stop", "cancel"])
def test_what_nobody_searches_cannot_be_asked(study: Bench, mrtune: Run, request_: str) -> None:
    outcome = mrtune(request_, study.name)
    assert outcome.code == 0
    assert "no process searches mine now" in outcome.out
    assert study.read().control == "run"


def test_resuming_what_is_finished_says_so(study: Bench, mrtune: Run) -> None:
    assert (
        "mine is finished; --trials N or --seeds N makes it longer"
        in mrtune("resume", study.name).out
    )


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "mnie"), "no study 'mnie'; did you mean 'mine'?"),
        (("show", "mine/99"), "mine has no trial 99: it has"),
        (("show", "mine/x"), "a trial must be named STUDY/NUMBER, got 'mine/x'"),
        (("stop", "mine/0"), "trial mine/0 is finished already"),
        (("logs", "mine"), "a trial must be named STUDY/NUMBER, got 'mine'; of a study that was"),
        (("logs", "mine", "--address", "auto"), "--address must be a URL that takes jobs, got"),
        (("logs", "mine", "--address", "http://127.0.0.1:1"), "no Ray cluster at --address"),
        (("export", "mine"), "say one of --csv, --json and --tex"),
        (("export", "mine", "--csv", "--split", "val"), "--split goes with --tex"),
        (("ls", "--storage", "no.db"), "there is no storage at no.db"),
        (("ls", "--storage", "mysql://u:pw@h/d"), "must be SQLite or PostgreSQL, got 'mysql'"),
        (("ls", "--storage", "://"), "--storage must be a database URL or a path"),
    ],
)
def test_mistakes_are_told_in_one_line(
    mrtune: Run, arguments: tuple[str, ...], message: str
) -> None:
    outcome = mrtune(*arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.slow
def test_names_of_studies_complete_in_the_shell(study: Bench) -> None:
    program = Path(sys.executable).parent / "mrtune"
    completed = subprocess.run(
        [program],
        env={
            "_MRTUNE_COMPLETE": "bash_complete",
            "COMP_WORDS": "mrtune show mi",
            "COMP_CWORD": "2",
        },
        capture_output=True,
        text=True,
        cwd=study.folder,
        check=False,
    )
    assert completed.stdout.split() == ["plain,mine"]


@pytest.mark.parametrize(
    ("command", "option"),
    [("export mine --csv", "--out"), ("best mine", "--export"), ("report mine", "--out")],
)
def test_a_file_that_cannot_be_written_is_named(
    study: Bench, mrtune: Run, command: str, option: str
) -> None:
    path = str(study.folder / "nowhere" / "x")
    outcome = mrtune(*command.split(), option, path)
    assert outcome.code == 2
    said = f"mrtune: {option} {path}: cannot be written: No such file or directory\n"
    assert outcome.err == said


@pytest.mark.usefixtures("study")
def test_a_number_that_is_none_names_no_trial(mrtune: Run) -> None:
    shown = mrtune("show", "mine/²")
    assert shown.err == "mrtune: a trial must be named STUDY/NUMBER, got 'mine/²'\n"
    assert "got '²'" in mrtune("compare", "mine/²", "mine/0").err


def test_a_study_is_exported_as_a_latex_table(study: Bench, mrtune: Run) -> None:
    outcome = mrtune("export", study.name, "--tex")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(r"\begin{tabular}")
    assert "quadratic" in outcome.out
    best = study.read().best
    assert best is not None
    assert f"{best.complete[0].metrics['val/score']:.4f}" in outcome.out
    held_out = mrtune("export", study.name, "--tex", "--split", "held-out")
    assert f"{best.mean():.4f}" in held_out.out


@pytest.mark.slow
@pytest.mark.usefixtures("study")
def test_a_report_is_about_the_newest_study_unless_told(mrtune: Run, tmp_path: Path) -> None:
    outcome = mrtune("report")
    assert outcome.code == 0, outcome.err
    assert "The report is mine.html." in outcome.out
    assert "<title>mine</title>" in (tmp_path / "mine.html").read_text()
    assert mrtune("report", "--out", "no/where.html").code == 2
    assert "no study 'other'" in mrtune("report", "other").err


@pytest.mark.slow
@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_pictures_of_a_report_are_files(mrtune: Run, tmp_path: Path, kind: str) -> None:
    if chromium.find() is None:
        missing("Chromium")
    outcome = mrtune("report", "mine", f"--{kind}", "pictures")
    assert outcome.code == 0, outcome.err
    files = sorted((tmp_path / "pictures").glob(f"*.{kind}"))
    assert any("overview" in path.name for path in files)
    starts = {"png": b"\x89PNG", "pdf": b"%PDF"}
    assert all(path.read_bytes().startswith(starts[kind]) for path in files)
    assert f"{len(files)} pictures are in pictures." in outcome.out


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--host", "0.0.0.0", "--no-token"), "--host 0.0.0.0 lets other machines in"),  # noqa: S104
        (("--storage", "none.db"), "there is no storage at none.db"),
        (("other",), "no study 'other'"),
    ],
)
def test_a_dashboard_that_cannot_be_is_refused(
    mrtune: Run, arguments: tuple[str, ...], message: str
) -> None:
    outcome = mrtune("dashboard", *arguments)
    assert outcome.code == 2
    assert message in outcome.err


@pytest.mark.usefixtures("study")
def test_a_port_that_is_taken_is_named(mrtune: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = mrtune("dashboard", "--port", str(port))
    assert outcome.code == 2
    assert f"cannot listen on 127.0.0.1, port {port}" in outcome.err
