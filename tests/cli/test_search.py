"""`mrtune search` as a user types it, on a real Ray."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

from mrtune.cli.search_view import print_event
from mrtune.search.events import Event
from tests.conftest import Outcome
from tests.search.bench import Bench

Run = Callable[..., Outcome]
QUADRATIC = str(Path(__file__).parent.parent / "search" / "quadratic.py")
TINY = ("-S", "fixed.width=2", "-S", "budget.epochs=2", "-S", "budget.grace=1")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_search_of_a_shipped_workload_is_told_as_json(mrtune: Run) -> None:
    outcome = mrtune("search", "fashion", *TINY, "--trials", "3", "--json")
    assert outcome.code == 0, outcome.err
    events = [json.loads(line) for line in outcome.out.splitlines()]
    assert {"started", "report", "complete", "end"} <= {event["event"] for event in events}
    end = events[-1]
    assert end["study"] == "fashion-1"
    assert end["state"] == "finished"
    assert sum(end["counts"].values()) == 3
    complete = [e["values"][0] for e in events if e["event"] == "complete"]
    assert end["best"]["values"][0] == max(complete)
    trial = json.loads(mrtune("show", "fashion-1/0", "--json").out)
    assert trial["metrics"]["val/f_score"] > 0
    assert len(trial["provenance"]["data"]) > 8
    assert set(trial["curves"]["epoch"]) == {1.0, 2.0}
    best = mrtune("best", "fashion-1", "--export", "best.yaml")
    assert best.code == 0
    trained = mrtune("train", "fashion", "--config", "best.yaml", "--json", "--out", "run")
    assert json.loads(trained.out.splitlines()[-1])["f_score"] == end["best"]["values"][0]


def test_where_nobody_listens_is_no_cluster(mrtune: Run) -> None:
    for address, found in (("127.0.0.1:1", ":1 "), ("nobody.invalid:6379", "invalid:6379 ")):
        outcome = mrtune("search", QUADRATIC, "--address", address)
        assert outcome.code == 2
        assert f"no Ray cluster at --address {address!r}: " in outcome.err
        assert f"{found}does not answer: " in outcome.err


@pytest.mark.slow
def test_a_search_joins_a_cluster_by_its_address(mrtune: Run) -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    try:
        outcome = mrtune("search", QUADRATIC, "--trials", "4", "--address", cluster.address, "-q")
        with ray.init(cluster.address, log_to_driver=False, logging_level="ERROR"):
            commands = [job["Entrypoint"] for job in ray._private.state.jobs()]
    finally:
        cluster.shutdown()
    assert outcome.code == 0, outcome.err
    assert re.search(r"configurations +4 of 4", outcome.out)
    assert "mrtune" in commands  # and not how it was called: with the database's password, maybe


@pytest.mark.slow
def test_a_time_budget_leaves_a_study_that_can_be_resumed(mrtune: Run) -> None:
    options = ("-S", "fixed.pause=0.3", "--trials", "40", "--time-budget", "3s", "--study", "s")
    outcome = mrtune("search", QUADRATIC, *options)
    assert outcome.code == 0, outcome.err
    assert "mrtune resume s continues it" in outcome.out
    status = json.loads(mrtune("status", "s", "--json").out)
    assert status["counts"]["waiting"] >= 1
    assert status["counts"]["running"] == 0
    outcome = mrtune("resume", "s", "--trials", "4", "--concurrency", "4")
    assert outcome.code == 0, outcome.err
    assert json.loads(mrtune("status", "s", "--json").out)["state"] == "finished"


@pytest.mark.slow
def test_a_dry_run_starts_nothing() -> None:
    """Neither Ray nor a storage; what it prints is what a search would do."""
    script = (
        "import sys; from mrtune.cli.main import main\n"
        "try: main(['search', 'fashion', '--dry-run', '--trials', '30'])\n"
        "finally: assert 'ray' not in sys.modules, 'ray was imported'"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "30 configurations by tpe" in done.stdout
    assert "the typical plan ends at epoch" in done.stdout
    assert re.search(
        r"at most 240 epochs, about \d+ with early stopping; .* s an epoch", done.stdout
    )
    assert "The first 5 of 30 configurations:" in done.stdout
    assert "0  p=0.5  finish_at=5 " in done.stdout  # the default comes first
    assert not Path("mrtune.db").exists()


@pytest.mark.slow
def test_a_dry_run_tells_json_too(mrtune: Run) -> None:
    shares = ("--cpus-per-trial", "1", "--memory-per-trial", "0.5")
    run = mrtune("search", "fashion", "--dry-run", "--json", "--seeds", "2", *shares)
    plan = json.loads(run.out)
    assert plan["space"]["resources"]["memory"] == 0.5
    assert plan["epochs_at_most"] == 12 * 2 * 8
    assert plan["epochs_expected"] < plan["epochs_at_most"]
    assert len(plan["first"]) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "fashoin"), "no search space 'fashoin'; did you mean 'fashion'?"),
        (
            ("search", "nowhere.py"),
            "nowhere.py needs a search space: --space FILE, or nowhere.yaml",
        ),
        (("search", "fashion", "--sampler", "tpee"), "'tpee' is not one of"),
        (
            ("search", "fashion", "--time-budget", "soon"),
            "must be a time such as 90s, 30m or 1h30m",
        ),
        (("search", "fashion", "-S", "fixed.widht=2"), "widht"),
        (("search", "fashion", "--gpus-per-trial", "1"), "a trial wants 1 GPUs, there are 0"),
        (("search", "fashion", "--sampler", "grid"), "p"),
        (("search", "fashion", "--storage", "no/where.db"), "there is no folder"),
    ],
)
def test_mistakes_are_told_before_anything_starts(
    mrtune: Run, arguments: tuple[str, ...], message: str
) -> None:
    outcome = mrtune(*arguments)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.slow
def test_more_memory_than_there_is_is_refused(mrtune: Run) -> None:
    outcome = mrtune("search", QUADRATIC, "--memory-per-trial", "100000", "--concurrency", "2")
    assert outcome.code == 2
    assert "a trial wants 100000 GiB of memory, there are " in outcome.err
    assert "no study" in mrtune("status").err  # nothing is written


@pytest.mark.slow
def test_a_cluster_may_grow_where_the_concurrency_is_given(mrtune: Run) -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    wants = ("--gpus-per-trial", "1", "--address", cluster.address)
    try:
        refused = mrtune("search", QUADRATIC, *wants)
        waiting = mrtune("search", QUADRATIC, *wants, "--concurrency", "2", "--time-budget", "2s")
    finally:
        cluster.shutdown()
    assert refused.code == 2
    assert "mrtune: a trial wants 1 GPUs, there are 0" in refused.err
    assert waiting.code == 0, waiting.err
    assert "warning: a trial wants 1 GPUs, there are 0: trials wait for" in waiting.err
    assert "2 of its trials wait for a machine with room. mrtune resume" in waiting.out


def test_a_taken_name_is_refused(mrtune: Run, tmp_path: Path) -> None:
    Bench(tmp_path, name="taken").begin()
    outcome = mrtune("search", QUADRATIC, "--study", "taken")
    assert outcome.code == 2
    assert "there is a study 'taken' already: `mrtune resume taken` continues it" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--study", "../far"), "a name, without slashes, and not a path, got '../far'"),
        (("--study", "."), "got '.'"),
        (("--seed", "-1"), "0<=x<=4294967295"),
    ],
)
def test_what_breaks_a_rule_is_refused(mrtune: Run, options: tuple[str, ...], message: str) -> None:
    outcome = mrtune("search", QUADRATIC, *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_number_that_is_none_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_event(Event("report", 3, {"epoch": 1.0, "values": [math.nan, 0.5]}))
    assert json.loads(capsys.readouterr().out)["values"] == [None, 0.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--address", "ray://head:10001"), "--address must not be a Ray client's"),
        (("--gpus-per-trial", "1"), "a trial wants 1 GPUs, there are 0"),
    ],
)
def test_a_search_that_finds_no_room_leaves_no_study(
    mrtune: Run, arguments: tuple[str, ...], message: str
) -> None:
    outcome = mrtune("search", QUADRATIC, "--study", "s", *arguments)
    assert outcome.code == 2, outcome
    assert message in outcome.err
    assert mrtune("ls").out.strip() == "no study yet"


def test_a_resumption_that_finds_no_room_leaves_the_study_as_it_was(
    mrtune: Run, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, name="s")
    bench.begin(trials=2)
    outcome = mrtune("resume", "s", "--trials", "9", "--address", "ray://head:10001")
    assert outcome.code == 2, outcome
    assert bench.read().target == 2
