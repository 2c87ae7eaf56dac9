"""Ray, started on this machine or joined where it runs, without a word of its own."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mrtune.errors import UsageError

# Read when Ray is imported: no files, tables and signal handlers of its own.
QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "TUNE_GLOBAL_CHECKPOINT_S": "1000000",
    "TUNE_WARN_THRESHOLD_S": "60",
    "TUNE_WARN_EXCESSIVE_EXPERIMENT_CHECKPOINT_SYNC_THRESHOLD_S": "0",
}
os.environ |= QUIET

import ray  # noqa: E402
from ray._private import utils  # noqa: E402
from ray._private.services import canonicalize_bootstrap_address  # noqa: E402
from ray.exceptions import AuthenticationError  # noqa: E402

PATIENCE = 10  # seconds that a cluster has to answer a call


@contextmanager
def local_ray(num_cpus: float) -> Iterator[None]:
    """Start Ray for the length of the block; its errors are shown, its chatter is not."""
    with _command_untold():
        ray.init(
            address="local",
            num_cpus=num_cpus,  # type: ignore[arg-type]  # Ray takes fractions too
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def joined_ray(
    address: str, environment: dict[str, Any] | None = None
) -> Iterator[dict[str, float]]:
    """Join a cluster for the length of the block, which is given its resources.

    Ray makes the environment, files and variables, for the processes of the block on all machines.
    """
    if address.startswith("ray://"):
        raise UsageError(
            f"--address must not be a Ray client's ({address}): a search would end with the"
            " connection. Submit it: --address http://HEAD:8265"
        )
    if "://" in address:
        raise UsageError(f"--address must be auto or HOST:PORT here, got {address!r}")
    # Of its own, Ray tries for a quarter of an hour.
    os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "1")
    try:
        _check_answers(address)
        with _command_untold():
            ray.init(
                address=address,
                runtime_env=environment,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
    except (AuthenticationError, ConnectionError, ValueError, RuntimeError) as error:
        raise UsageError(why_not(address, error)) from None
    try:
        yield ray.cluster_resources()  # type: ignore[no-untyped-call]
    finally:
        ray.shutdown()


@contextmanager
def _command_untold() -> Iterator[None]:
    """Keep Ray from telling its cluster our command line, which may have a password in it."""
    told = utils.get_entrypoint_name
    utils.get_entrypoint_name = lambda: "mrtune"
    try:
        yield
    finally:
        utils.get_entrypoint_name = told


def _check_answers(address: str) -> None:
    """Refuse an address where nobody listens."""
    found = canonicalize_bootstrap_address(address)
    if found is None:
        return  # ray.init says that no cluster is known here
    host, _, port = found.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except OSError as error:
        raise ConnectionError(f"{found} does not answer: {error.strerror or error}") from None


def why_not(address: str, error: Exception) -> str:
    """Say why a cluster cannot be reached, by its token or by the first line of an error."""
    causes: list[BaseException | None] = [error, error.__cause__, error.__context__]
    if any("AuthToken" in str(cause) or "uthentication" in str(cause) for cause in causes):
        return (
            f"the Ray cluster at --address {address!r} wants its token: set RAY_AUTH_MODE=token,"
            " and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH to what its head has"
        )
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"no Ray cluster at --address {address!r}: {lines[0]}"


def nodes() -> list[dict[str, Any]]:
    """Describe the machines of the Ray that this process is connected to."""
    return [
        {
            "host": node["NodeManagerHostname"],
            "cpus": node["Resources"].get("CPU", 0.0),
            "gpus": node["Resources"].get("GPU", 0.0),
            "alive": node["Alive"],
        }
        for node in ray.nodes()  # type: ignore[no-untyped-call]
    ]


def run_one_task() -> None:
    """Start Ray and run a task in a worker; raise whatever goes wrong."""

    @ray.remote
    def process_id() -> int:
        return os.getpid()

    with local_ray(num_cpus=1):
        ray.get(process_id.remote(), timeout=60)
