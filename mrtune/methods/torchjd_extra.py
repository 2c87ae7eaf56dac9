"""The optional TorchJD: imported when a method needs it."""

from collections.abc import Iterator
from contextlib import contextmanager

from mrtune.errors import UsageError


@contextmanager
def needs_torchjd() -> Iterator[None]:
    """Say how to install TorchJD where the block fails to import it."""
    try:
        yield
    except ImportError as error:
        raise UsageError(
            f"this method needs TorchJD ({error}): pip install 'mrtune[balancers]'"
        ) from error
