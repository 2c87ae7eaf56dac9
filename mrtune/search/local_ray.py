"""A Ray of our own on this machine, started and stopped without a word."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import ray


@contextmanager
def local_ray(num_cpus: int) -> Iterator[None]:
    """Start Ray for the length of the block; its errors are shown, its chatter is not."""
    ray.init(
        address="local",
        num_cpus=num_cpus,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    try:
        yield
    finally:
        ray.shutdown()


def run_one_task() -> None:
    """Start Ray and run a task in a worker; raise whatever goes wrong."""

    @ray.remote
    def process_id() -> int:
        return os.getpid()

    with local_ray(num_cpus=1):
        ray.get(process_id.remote(), timeout=60)
