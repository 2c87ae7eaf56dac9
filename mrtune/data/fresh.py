"""Folders that are written as a whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mrtune.errors import DataError


@contextmanager
def fresh_folder(to: Path) -> Iterator[Path]:
    """Give a folder to write to, which becomes `to` if all goes well and vanishes if not."""
    if to.exists() and not (to.is_dir() and not any(to.iterdir())):
        raise DataError(f"{to} is not empty: nothing is overwritten")
    temporary = None
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{to.name}-", dir=to.parent))
        yield temporary
        temporary.chmod(0o755)
        if to.exists():
            to.rmdir()
        temporary.rename(to)
    except OSError as error:
        raise DataError(f"cannot write {to}: {error.strerror or error}") from error
    finally:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
