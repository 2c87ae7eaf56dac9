"""Finds a place by what --runs says."""

from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from mrtune.errors import UsageError
from mrtune.places.folder import Folder
from mrtune.places.place import Place
from mrtune.places.store import Store

STORES = ("s3", "gs", "abfs", "abfss")
PARAMETERS = (  # none of which is a secret
    "region",
    "scheme",
    "endpoint_override",
    "force_virtual_addressing",
    "tls_ca_file_path",
    "project_id",
    "retry_limit_seconds",
    "enable_tls",
)


def place_of(value: str) -> Place:
    """Return a folder by its path or file:// URI, or a store by its URI; nothing is opened yet."""
    if "://" not in value:
        return Folder(value)
    try:
        parts = urlsplit(value)
    except ValueError:
        raise UsageError("--runs must be a folder or a URI; this is neither") from None
    _check_secrets(parts)
    if parts.scheme == "file":
        return _folder(parts)
    if parts.scheme not in STORES:
        known = ", ".join(f"{scheme}://…" for scheme in (*STORES, "file"))
        raise UsageError(f"--runs must be a folder or one of {known}, got {_shown(parts)}")
    if not parts.netloc:
        raise UsageError(f"--runs must name a bucket, got {_shown(parts)}")
    return Store(value)


def _folder(parts: SplitResult) -> Folder:
    # Not through pyarrow, whose files on a disk are seen before they are whole.
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise UsageError(f"--runs must be file:///PATH, three slashes, got {_shown(parts)}")
    return Folder(unquote(parts.path))


def _check_secrets(parts: SplitResult) -> None:
    """Refuse what must not get into a database, a log or a list of processes."""
    rule = "must hold no secret, which the environment has"
    if parts.password is not None:
        raise UsageError(f"--runs {rule}, got {_shown(parts)} with a password")
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in PARAMETERS:
            raise UsageError(
                f"--runs {rule}, and after ? only {', '.join(PARAMETERS)}, got {_shown(parts)}"
            )
        if "@" in value:
            raise UsageError(f"--runs {rule}, got {_shown(parts)} with an @ in its {name}")
    if parts.fragment:
        raise UsageError(f"--runs must have no # in it, got {_shown(parts)}")


def _shown(parts: SplitResult) -> str:
    """Return as much of a URI as is no secret for sure."""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
