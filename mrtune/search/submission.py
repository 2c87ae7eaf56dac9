"""A search handed to a cluster as a Ray job, so that the machine it comes from may be closed."""

import os
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mrtune.search.ray_sessions import why_not  # first: it quiets what is imported next

# isort: split
from ray.exceptions import RayError
from ray.job_submission import JobSubmissionClient

from mrtune.config import did_you_mean
from mrtune.errors import MrtuneError, UsageError
from mrtune.search.luggage import packed

EVERY = 1.0  # seconds between two looks at a job, at first
SELDOM = 10.0  # and when it has been looked at for long: each look fetches all that it has printed
PATIENCE = 60.0  # seconds without an answer after which the connection is lost
ENDED = ("STOPPED", "SUCCEEDED", "FAILED")
OVERRIDING = ("RAY_ADDRESS", "RAY_API_SERVER_ADDRESS")  # what Ray lets win over the address given
TROUBLE = (RayError, OSError, RuntimeError, ValueError)
T = TypeVar("T")


class ConnectionLost(MrtuneError):
    """A job was taken, and does not answer any more."""


@dataclass(frozen=True)
class Submitted:
    """A job of a cluster."""

    address: str
    id: str

    def printed(self) -> str:
        """Return what the job has printed."""
        return self._asked(lambda client: client.get_job_logs(self.id))

    def output(self) -> Iterator[str]:
        """Yield what the job prints, piece by piece, until it ends."""
        seen, ended, pause = 0, False, EVERY
        while not ended:
            # The state first: of a job that has ended there is no more to come.
            ended = self._asked(lambda client: client.get_job_status(self.id)).value in ENDED
            text = self.printed()
            yield text[seen:]
            pause = EVERY if len(text) > seen else min(SELDOM, 1.2 * pause)
            seen = len(text)
            if not ended:
                time.sleep(pause)

    def exit_code(self) -> int:
        """Return the exit code of a job that has ended; what never began has failed."""
        info = self._asked(lambda client: client.get_job_info(self.id))
        return 1 if info.driver_exit_code is None else int(info.driver_exit_code)

    def _asked(self, question: Callable[[JobSubmissionClient], T]) -> T:
        """Ask until there is an answer, or patience ends."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return question(_client(self.address))
            except TROUBLE as error:
                if time.monotonic() > deadline:
                    raise ConnectionLost(f"{self.address} does not answer: {error}") from None
                time.sleep(EVERY)


def submit(
    address: str, name: str, command: Sequence[str], files: Sequence[Path], storage: str
) -> Submitted:
    """Hand a command of mrtune to the cluster, with files that lie beside it there.

    The storage's URL must be without its password: a job's environment is shown to whoever asks.
    """
    with packed(files, MRTUNE_STORAGE=storage) as environment:
        try:
            made = _client(address).submit_job(
                entrypoint=shlex.join(["mrtune", *command]),
                submission_id=f"mrtune-{_slug(name)}-{time.time_ns() // 10**6:x}",
                runtime_env=environment,
                metadata={"study": name},
            )
        except TROUBLE as error:
            raise UsageError(why_not(address, error)) from None
    return Submitted(address, made)


def newest(address: str, study: str) -> Submitted:
    """Find the job of a cluster that a study was handed to last."""
    try:
        jobs = [job for job in _client(address).list_jobs() if job.submission_id]
    except TROUBLE as error:
        raise UsageError(why_not(address, error)) from None
    studies = {(job.metadata or {}).get("study", "") for job in jobs} - {""}
    if study not in studies:
        raise UsageError(f"{address} has no job of {study!r}; {did_you_mean(study, studies)}")
    of_study = [job for job in jobs if (job.metadata or {}).get("study") == study]
    last = max(of_study, key=lambda job: job.start_time or 0)
    return Submitted(address, str(last.submission_id))


@contextmanager
def _without(names: Sequence[str]) -> Iterator[None]:
    kept = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ |= kept


def _client(address: str) -> JobSubmissionClient:
    with _without(OVERRIDING):
        return JobSubmissionClient(address)


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)
