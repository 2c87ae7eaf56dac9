"""A Ray to search on, and the room that trials have there."""

from collections.abc import Iterator
from contextlib import contextmanager

from mrtune.search.luggage import packed_unless_here
from mrtune.search.ray_sessions import joined_ray, local_ray  # first: it quiets what follows

# isort: split
import ray

from mrtune.search.room import Machine, Room, cores, gpus, room_here, room_on
from mrtune.search.space import Resources


@contextmanager
def ray_session(
    address: str | None, trainer: str, wanted: Resources, concurrency: int | None, share_cpus: bool
) -> Iterator[Room]:
    """Start Ray here, or join the cluster at an address; the block is given the room there."""
    if address is None:
        room = room_here(wanted, concurrency, Machine(cores(), gpus()), share_cpus)
        share = wanted.model_copy(update={"cpus": room.cpus})
        with local_ray(room.concurrency * room.cpus):
            yield room_on(machines(), share, concurrency)  # only Ray knows of memory
        return
    with packed_unless_here(trainer) as environment, joined_ray(address, environment):
        yield room_on(machines(), wanted, concurrency, growing=True)


def machines() -> list[Machine]:
    """Say what the machines have of the Ray that this process is connected to."""
    living = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    return [
        Machine(has.get("CPU", 0.0), has.get("GPU", 0.0), has.get("memory", 0.0) / 2**30)
        for has in living
    ]
