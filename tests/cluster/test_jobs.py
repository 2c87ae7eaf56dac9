"""A search handed to a cluster as a job, from a machine that may be closed meanwhile."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster import machines
from tests.cluster.machines import ENVIRONMENT, Machine, network
from tests.cluster.studies import record
from tests.conftest import missing

pytestmark = pytest.mark.slow
SEARCH = Path(__file__).parent.parent / "search"
PATIENCE = 180.0  # seconds


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that no machine of the cluster sees: a trainer, what it imports, and a space."""
    folder = tmp_path_factory.mktemp("laptop")
    shutil.copy(SEARCH / "quadratic.py", folder / "helping.py")
    (folder / "mine.py").write_text("from helping import DEFAULTS, build  # noqa: F401\n")
    space = (SEARCH / "quadratic.yaml").read_text().replace("quadratic.py", "mine.py")
    (folder / "mine.yaml").write_text(space)
    return folder


@pytest.fixture(scope="module")
def head(laptop: Path) -> Iterator[Machine]:
    """The head of a cluster, where no trial fits; another machine has room for one."""
    if not machines.possible():
        missing("the right to make network namespaces")
    with network(), Machine(21, (laptop,)) as head, Machine(22, (laptop,)) as worker:
        head.start_ray(None, cpus=0, jobs=True)
        worker.start_ray(head, cpus=1)
        yield head


def mrtune(laptop: Path, *arguments: str, **more: str) -> "subprocess.Popen[str]":
    """Run a command on the laptop; what Ray would rather listen to is set to something else."""
    environment = ENVIRONMENT | {"RAY_ADDRESS": "http://127.0.0.1:1"} | more
    command = [sys.executable, "-m", "mrtune", *arguments]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=laptop, env=environment, text=True, **output)  # type: ignore[call-overload,no-any-return]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.5)


def test_a_search_goes_on_without_the_machine_it_comes_from(
    head: Machine, laptop: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/studies.db"
    there = ("--storage", url, "--address", head.jobs)
    options = ("--runs", str(tmp_path / "runs"), "--trials", "6", "-S", "fixed.pause=0.3")
    options += ("--pruner", "none")
    search = mrtune(laptop, "search", "mine.py", "--study", "far", *options, *there)
    wait_for(lambda: search.poll() is not None or "▶" in status(laptop, url))
    assert search.poll() is None, search.stdout and search.stdout.read()
    search.send_signal(signal.SIGINT)
    output = search.communicate(timeout=30)[0]
    assert search.returncode == 130, output
    assert "the job goes on" in output

    wait_for(lambda: record(url, "far").counts["complete"] >= 1)
    stopped = mrtune(laptop, "stop", "far", "--storage", url)
    assert "running trials finish" in stopped.communicate(timeout=60)[0]
    wait_for(lambda: record(url, "far").state == "stopped")
    done = record(url, "far").counts["complete"]
    assert 1 <= done < 6

    printed = mrtune(laptop, "logs", "far", "--follow", "--address", head.jobs)
    first = printed.communicate(timeout=PATIENCE)[0]
    assert printed.returncode == 0, first
    assert "asked to stop" in first

    resumed = mrtune(laptop, "resume", "far", *there)
    output = resumed.communicate(timeout=PATIENCE)[0]
    assert resumed.returncode == 0, output
    found = record(url, "far")
    assert found.counts["complete"] == 6
    assert {trial.place["host"] for trial in found.trials} == {"machine-22"}

    newest = mrtune(laptop, "logs", "far", "--address", head.jobs).communicate(timeout=60)[0]
    assert "asked to stop" not in newest
    assert newest in output
    assert "configurations  6 of 6" in newest
    unknown = mrtune(laptop, "logs", "fra", "--address", head.jobs)
    assert "has no job of 'fra'; did you mean 'far'?" in unknown.communicate(timeout=60)[0]
    assert unknown.returncode == 2


def status(laptop: Path, url: str) -> str:
    return mrtune(laptop, "status", "far", "--storage", url).communicate(timeout=60)[0]


def test_what_goes_wrong_there_is_told_here(head: Machine, laptop: Path, tmp_path: Path) -> None:
    there = ("--storage", f"{tmp_path}/no/such/folder/studies.db", "--address", head.jobs)
    failed = mrtune(laptop, "search", "mine.py", "--runs", str(tmp_path / "runs"), *there)
    output = failed.communicate(timeout=PATIENCE)[0]
    assert failed.returncode == 2, output
    assert "no/such/folder" in output


def test_a_stranger_is_told_of_the_token(head: Machine, laptop: Path, tmp_path: Path) -> None:
    there = ("--storage", f"{tmp_path}/s.db", "--address", head.jobs, "--runs", str(tmp_path))
    refused = mrtune(laptop, "search", "mine.py", *there, RAY_AUTH_TOKEN="0" * 64)
    output = refused.communicate(timeout=PATIENCE)[0]
    assert refused.returncode == 2, output
    assert "wants its token" in output
    assert "Traceback" not in output
