"""Where search spaces are found: by name among those that ship with mrtune, or by path."""

from importlib import resources
from pathlib import Path
from typing import NamedTuple

from mrtune.config import did_you_mean
from mrtune.errors import UsageError

PACKAGE = "search_spaces"
SUFFIXES = (".yaml", ".yml")


class Source(NamedTuple):
    """The text of a search space."""

    name: str  # as it is shown in messages
    text: str
    folder: Path | None  # that relative paths in it start from; none in the package


def space_names() -> list[str]:
    """Name the search spaces that ship with mrtune."""
    files = (Path(entry.name) for entry in resources.files(PACKAGE).iterdir())
    return sorted(file.stem for file in files if file.suffix in SUFFIXES)


def find_source(name_or_path: str) -> Source:
    """Read a search space that ships with mrtune, or a file."""
    path = Path(name_or_path)
    if name_or_path in space_names():
        file = f"{name_or_path}.yaml"
        text = resources.files(PACKAGE).joinpath(file).read_text(encoding="utf-8")
        return Source(f"{PACKAGE}/{file}", text, None)
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"no search space {name_or_path!r}; {did_you_mean(name_or_path, space_names())} "
            f"(a file must end in {' or '.join(SUFFIXES)})"
        )
    try:
        return Source(name_or_path, path.read_text(encoding="utf-8"), path.parent)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{path}: cannot be read: {reason}") from None
