"""Whether a place takes and gives files."""

import secrets

from mrtune.errors import StorageFailed, UsageError
from mrtune.places.place import Place


def probe(place: Place) -> str:
    """Write a file, read it back and remove it; return what goes wrong, "" if nothing does."""
    name, content = f".mrtune-{secrets.token_hex(8)}", secrets.token_bytes(8)
    try:
        place.write(name, content)
        found = place.read(name)
        place.remove(name)
    except StorageFailed as error:
        return str(error)
    return "" if found == content else "what is read is not what was written"


def check_usable(place: Place) -> None:
    """Refuse a place that does not take and give files."""
    trouble = probe(place)
    if trouble:
        raise UsageError(f"--runs must be {place.kind} to write to, got {place.name}: {trouble}")
