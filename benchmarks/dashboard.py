"""How fast a page opens, and how much it sends, on a study as large as they get.

Run with `python -m benchmarks.dashboard [--trials 10000] [--reports 50]`. A page is asked for as a
browser's script asks for it, over HTTP, of a server that has just started (open), and once more
after a trial has changed (refresh). optuna-dashboard, where it is installed, is asked for what its
own page needs first: all trials of the same study.
"""

import argparse
import importlib.util
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.big_study import write_big_study
from benchmarks.machine import describe
from dashboards.pages import VIEWS
from mrtune.study import close_storage, load_study, open_storage

NAME = "big"
OPEN, REFRESH = 3.0, 1.0  # seconds
OUTPUTS = (
    "head.children",
    "controls.children",
    "content.children",
    "shown.data",
    "moment.children",
)
PATIENCE = 300  # seconds


def body(path: str, shown: dict[str, str]) -> bytes:
    """Write what the page's script sends."""
    ids = [output.split(".") for output in OUTPUTS]
    content = {
        "output": f"..{'...'.join(OUTPUTS)}..",
        "outputs": [{"id": id_, "property": property_} for id_, property_ in ids],
        "inputs": [
            {"id": "address", "property": "pathname", "value": path},
            {"id": "address", "property": "search", "value": ""},
            {"id": "tick", "property": "n_intervals", "value": 1},
        ],
        "state": [{"id": "shown", "property": "data", "value": shown}],
        "changedPropIds": ["tick.n_intervals"],
    }
    return json.dumps(content).encode()


def ask(url: str, data: bytes | None = None) -> tuple[float, bytes]:
    """Return how long an answer takes, and the answer as it was sent."""
    headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
    request = urllib.request.Request(url, data, headers)  # noqa: S310  # our own servers
    started = time.perf_counter()
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        content: bytes = answer.read()
    return time.perf_counter() - started, content


@contextmanager
def served(command: list[str], folder: Path, port: int) -> Iterator[str]:
    """Serve in a process of its own, for the block."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        _wait(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def ours(folder: Path, view: str, change: Callable[[], None]) -> tuple[float, float, int]:
    """Open a page with a server that has just started, refresh it; return seconds and bytes."""
    port = free_port()
    command = [sys.executable, "-m", "mrtune", "dashboard", "--port", str(port), "--no-token"]
    with served(command, folder, port) as url:
        path = f"/study/{NAME}/{view}"
        opened, content = ask(f"{url}/_dash-update-component", body(path, {}))
        time.sleep(1.5)  # records are fresh for a second
        change()
        refreshed, _ = ask(f"{url}/_dash-update-component", body(path, {}))
        return opened, refreshed, len(content)


def theirs(folder: Path) -> tuple[float, int]:
    """Ask optuna-dashboard for the trials of the study."""
    port = free_port()
    start = "from optuna_dashboard._cli import main; main()"
    command = [sys.executable, "-c", start, "sqlite:///mrtune.db", "--port", str(port)]
    with served(command, folder, port) as url:
        (study,) = json.loads(ask(f"{url}/api/studies")[1])["study_summaries"]
        seconds, content = ask(f"{url}/api/studies/{study['study_id']}?after=0")
        return seconds, len(content)


def main(trials: int, reports: int) -> None:
    """Print a row for each page."""
    print(f"{trials:,} trials of {reports} reports. {describe()}\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        storage = open_storage(f"sqlite:///{folder / 'mrtune.db'}")
        write_big_study(storage, NAME, trials, reports)
        study = load_study(storage, NAME)

        def change() -> None:
            study._storage.set_trial_user_attr(study.trials[-1]._trial_id, "retries", 1)

        print(f"| page | open (≤ {OPEN:g} s) | refresh (≤ {REFRESH:g} s) | sent (≤ 1 MB) |")
        print("|---|---:|---:|---:|")
        for view in VIEWS:
            opened, refreshed, size = ours(folder, view, change)
            times = f"{opened:.2f} s | {refreshed:.2f} s"
            print(f"| {VIEWS[view].TITLE} | {times} | {size / 1e3:.0f} kB |")
            sys.stdout.flush()
        if importlib.util.find_spec("optuna_dashboard"):
            seconds, size = theirs(folder)
            print(f"| optuna-dashboard | {seconds:.2f} s | – | {size / 1e3:.0f} kB |")
        close_storage(storage)


def arguments() -> dict[str, Any]:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--reports", type=int, default=50)
    return vars(parser.parse_args())


if __name__ == "__main__":
    main(**arguments())
