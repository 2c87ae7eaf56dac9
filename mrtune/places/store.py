"""An object store, through the file systems of pyarrow."""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from mrtune.errors import StorageFailed

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


class Store:
    """Objects below a prefix of a bucket; an object appears once it is whole."""

    kind = "an object store"
    look_every = 5.0  # each look is a request, which takes time and costs money

    def __init__(self, uri: str) -> None:
        self._parts = urlsplit(uri)
        path = self._parts.path.strip("/")
        self.name = urlunsplit(self._parts._replace(path=f"/{path}" if path else ""))

    def within(self, *names: str) -> "Store":
        """Return a longer prefix."""
        path = "/".join([self._parts.path.rstrip("/"), *(quote(name, safe="") for name in names)])
        return Store(urlunsplit(self._parts._replace(path=path)))

    def read(self, name: str, start: int = 0) -> bytes | None:
        """Return an object from a position on; None where there is no such object."""
        with self._told():
            system, path = self._find(name)
            try:
                with system.open_input_file(path) as file:
                    file.seek(min(start, file.size()))
                    return bytes(file.read())
            except FileNotFoundError:
                return None

    def write(self, name: str, *parts: bytes | memoryview) -> None:
        """Write an object, which the store shows when it is whole."""
        whole = b"".join(parts)  # a stream that is closed between two writes shows half an object
        with self._told():
            system, path = self._find(name)
            with system.open_output_stream(path) as file:
                file.write(whole)

    @contextmanager
    def appending(self, name: str) -> Iterator[TextIO]:
        """Collect text, and write the object anew at the end: objects do not grow."""
        more = io.StringIO()
        try:
            yield more
        finally:
            if more.tell():
                self.write(name, self.read(name) or b"", more.getvalue().encode())

    def exists(self, name: str) -> bool:
        """Whether there is such an object."""
        with self._told():
            system, path = self._find(name)
            return bool(system.get_file_info(path).is_file)

    def names(self) -> list[str]:
        """Name the objects right below the prefix, in order."""
        with self._told():
            from pyarrow.fs import FileSelector  # noqa: PLC0415  # slow, and few need it

            system, path = self._find()
            infos = system.get_file_info(FileSelector(path, allow_not_found=True))
            return sorted(info.base_name for info in infos if info.is_file)

    def remove(self, name: str) -> None:
        """Remove an object, if there is one."""
        with self._told(), suppress(FileNotFoundError):
            system, path = self._find(name)
            system.delete_file(path)

    def clear(self) -> None:
        """Remove all objects below the prefix."""
        with self._told(), suppress(FileNotFoundError):
            system, path = self._find()
            system.delete_dir(path)

    def on_this_machine(self, name: str) -> Path:
        """Return a path in the folder for what does not last."""
        digest = sha256(self.name.encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"mrtune-{digest}-{name}"

    def _find(self, *names: str) -> "tuple[FileSystem, str]":
        """Return the file system, and a path in it."""
        root = urlunsplit(self._parts._replace(path=""))
        system, bucket = _open(root)
        below = unquote(self._parts.path).strip("/")
        return system, "/".join(part for part in (bucket.strip("/"), below, *names) if part)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell trouble with the store from bugs, in one line."""
        from pyarrow import ArrowException  # noqa: PLC0415  # slow, and few need it

        try:
            yield
        except (OSError, ArrowException) as error:
            told = str(error).strip().splitlines() or [type(error).__name__]
            raise StorageFailed(f"{self.name} fails: {told[0]}") from error


@lru_cache
def _open(root: str) -> "tuple[FileSystem, str]":
    """Open a store once in a process: to find where a bucket is takes requests."""
    from pyarrow.fs import FileSystem  # noqa: PLC0415  # slow, and few need it

    system, bucket = FileSystem.from_uri(root)
    return system, str(bucket)
