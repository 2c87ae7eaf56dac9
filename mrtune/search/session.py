"""A Ray to search on, and the room that trials have there."""

from collections.abc import Iterator
from contextlib import contextmanager

from mrtune.search.luggage import packed_unless_here
from mrtune.search.ray_sessions import joined_ray, local_ray
from mrtune.search.room import Room, cores, gpus, make_room
from mrtune.search.space import Resources


@contextmanager
def ray_session(
    address: str | None, trainer: str, wanted: Resources, concurrency: int | None, share_cpus: bool
) -> Iterator[Room]:
    """Start Ray here, or join the cluster at an address; the block is given the room there."""
    if address is None:
        room = make_room(wanted, concurrency, cores(), gpus(), share_cpus)
        with local_ray(room.concurrency * room.cpus):
            yield room
        return
    with packed_unless_here(trainer) as environment, joined_ray(address, environment) as there:
        yield make_room(
            wanted, concurrency, there.get("CPU", 0), there.get("GPU", 0), share_cpus=False
        )
