"""Machines that share an object store, which one of them may not reach."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import machines
from tests.cluster.machines import ENVIRONMENT, NETWORK, Machine, network
from tests.conftest import missing
from tests.places.object_store import CREDENTIALS, ObjectStore

pytestmark = pytest.mark.slow
QUADRATIC = Path(__file__).parent.parent / "search" / "quadratic.py"
SWITCH = f"{NETWORK}.254"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Machine, Machine, ObjectStore]]:
    """A head, another machine, and a store that both reach."""
    if not machines.possible():
        missing("the right to make network namespaces")
    for name, value in CREDENTIALS.items():
        monkeypatch.setitem(ENVIRONMENT, name, value)
    with network(), ObjectStore(SWITCH) as store, Machine(31) as head, Machine(32) as other:
        head.start_ray(None, cpus=1)
        other.start_ray(head, cpus=1)
        yield head, other, store


def test_a_machine_that_does_not_reach_the_store_is_named(
    cluster: tuple[Machine, Machine, ObjectStore], tmp_path: Path
) -> None:
    head, other, store = cluster
    runs = store.uri("runs")
    mrtune = [sys.executable, "-m", "mrtune"]
    check = [*mrtune, "cluster", "check", "--address", head.ray, "--runs", runs, "--json"]
    told = json.loads(head.run(*check, cwd=tmp_path))
    assert {finding["verdict"] for finding in told["checks"]} == {"ok"}
    assert store.keys("runs/") == []

    other.run("ip", "route", "add", "unreachable", SWITCH)
    told = json.loads(head.popen(*check, cwd=tmp_path, stdout=subprocess.PIPE).communicate()[0])
    (broken,) = [finding for finding in told["checks"] if finding["verdict"] == "broken"]
    assert broken["check"] == "machine-32"
    assert f"cannot write to {runs}" in broken["detail"]

    search = [*mrtune, "search", str(QUADRATIC), "--address", head.ray, "--runs", runs]
    refused = head.popen(*search, cwd=tmp_path, stderr=subprocess.PIPE)
    error = refused.communicate(timeout=180)[1]
    assert refused.returncode == 2, error
    assert error.splitlines()[-1] == f"mrtune: machine-32 cannot write to {runs} of --runs"
    assert store.keys("runs/") == []
