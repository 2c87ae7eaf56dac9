"""Trouble with a disk, told apart from bugs."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from mrtune.errors import StorageFailed

FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def told(name: str) -> Iterator[None]:
    """Tell what goes wrong with the files of a folder in one line."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise StorageFailed(f"the disk of {name} is full") from error
        raise StorageFailed(f"{name} fails: {error.strerror or error}") from error
