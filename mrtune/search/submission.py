"""A search handed to a cluster as a Ray job, so that the machine it comes from may be closed."""

import json
import os
import shlex
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ray.job_submission import JobSubmissionClient

from mrtune.errors import UsageError
from mrtune.search.provenance import versions
from mrtune.training.resolve import find_file

VERSIONS = "MRTUNE_SUBMITTED_BY"  # the versions of packages where the job comes from
EVERY = 1.0  # seconds between two looks at a job
ENDED = ("STOPPED", "SUCCEEDED", "FAILED")


@dataclass(frozen=True)
class Submitted:
    """A job of a cluster."""

    address: str
    id: str

    def output(self) -> Iterator[str]:
        """Yield what the job prints, piece by piece, until it ends."""
        client, seen, ended = _client(self.address), 0, False
        while not ended:
            ended = client.get_job_status(self.id).value in ENDED  # then there is no more to come
            text = client.get_job_logs(self.id)
            yield text[seen:]
            seen = len(text)
            if not ended:
                time.sleep(EVERY)

    def exit_code(self) -> int:
        """Return the exit code of a job that has ended; what never began has failed."""
        info = _client(self.address).get_job_info(self.id)
        return 1 if info.driver_exit_code is None else int(info.driver_exit_code)


def submit(
    address: str, name: str, command: Sequence[str], files: Sequence[Path], storage: str
) -> Submitted:
    """Hand a command of mrtune to the cluster, with files that lie beside it there.

    The storage's URL must be without its password: a job's environment is shown to whoever asks.
    """
    with TemporaryDirectory(prefix="mrtune-job-") as folder:
        for path in files:
            _copy(path, Path(folder))
        try:
            made = _client(address).submit_job(
                entrypoint=shlex.join(["mrtune", *command]),
                submission_id=f"mrtune-{name}-{time.time_ns() // 10**6:x}",
                runtime_env={
                    "working_dir": folder,
                    "env_vars": {"MRTUNE_STORAGE": storage, VERSIONS: json.dumps(versions())},
                },
                metadata={"study": name},
            )
        except (RuntimeError, ConnectionError, ValueError) as error:
            raise UsageError(_why_not(address, error)) from None
    return Submitted(address, made)


def travelling(trainer: str) -> list[Path]:
    """Name what a trainer file needs of its folder: modules and packages beside it."""
    if not trainer.endswith(".py"):
        return []
    beside = find_file(Path(trainer)).resolve().parent.iterdir()
    return sorted(p for p in beside if p.suffix == ".py" or (p / "__init__.py").is_file())


def check_submitter() -> list[str]:
    """Refuse a job from another version of mrtune; return how other packages differ, if any do."""
    there = json.loads(os.environ.get(VERSIONS, "{}"))
    here = versions()
    differing = [name for name in there if here.get(name) != there[name]]
    if "mrtune" in differing:
        raise UsageError(
            f"mrtune is {here['mrtune']} here, {there['mrtune']} where the job is from"
        )
    return [f"{name} is {here.get(name)} here, {there[name]} at home" for name in differing]


def _client(address: str) -> JobSubmissionClient:
    try:
        return JobSubmissionClient(address)
    except (RuntimeError, ConnectionError, ValueError) as error:
        raise UsageError(_why_not(address, error)) from None


def _copy(path: Path, folder: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(path, folder)


def _why_not(address: str, error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = lines[0] if lines else type(error).__name__
    return f"--address {address}: the cluster does not take the job: {reason}"
