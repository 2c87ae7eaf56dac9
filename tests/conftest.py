import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from hypothesis import settings
from playwright.sync_api import Browser
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.scheduler.protocol import Scheduling

from mrtune.cli.main import main
from mrtune.data.generate import GENERATORS, generate
from mrtune.study import close_storage
from tests.browser import chromium
from tests.places.object_store import CREDENTIALS, ObjectStore
from tests.search.bench import OPENED

IN_CI = os.environ.get("CI") == "true"

# A deadline would time a shared machine. CI draws the same cases every time, a desk new ones.
settings.register_profile("mrtune", deadline=None, derandomize=IN_CI)
settings.load_profile("mrtune")

# Ray's workers give way to everything else, which next to another test is for ever.
os.environ.setdefault("RAY_worker_niceness", "0")

# A shell that runs the tests in the background has children ignore Ctrl-C; ours are asked to obey.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests compute on tiny tensors, where a second thread only waits for the first.
torch.set_num_threads(1)


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long: a worker that starts one last has all others wait."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests wait for processes as much as they compute."""
    return (os.cpu_count() or 1) + 1


class ByFile(LoadFileScheduling):
    """Whole files for each worker; for one of them, all that need the one network of machines."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "tests/cluster" if file.startswith("tests/cluster/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return ByFile(config, log)


@pytest.fixture
def mrtune(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run a command as a user does, in this process: `mrtune("roam", "--p", "0.3")`."""

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        return Outcome(int(stop.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(autouse=True)
def no_storage_stays_open() -> Iterator[None]:
    yield
    while OPENED:
        close_storage(OPENED.pop())


def missing(component: str) -> None:
    """Skip a test for want of a component, aloud; CI has them all, so there it is a failure."""
    (pytest.fail if IN_CI else pytest.skip)(f"{component} is not installed")


@pytest.fixture(scope="session")
def drawn_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic data of every set, drawn once."""
    home = tmp_path_factory.mktemp("data")
    for name in GENERATORS:
        generate(name, home / name, n=40 if name in ("celeba", "fashion") else 10, seed=1)
    return home


@pytest.fixture(scope="session")
def object_server() -> Iterator[ObjectStore]:
    """A server that speaks S3, for all tests of a worker."""
    with ObjectStore() as server:
        yield server


@pytest.fixture
def object_store(object_server: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """That server, with what it asks of everybody in the environment."""
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return object_server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium, as the system's packages bring it."""
    if chromium.find() is None:
        missing("Chromium")
    with chromium.launch() as launched:
        yield launched
