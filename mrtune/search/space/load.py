"""From a YAML file to a checked search space, or to everything that is wrong with it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mrtune.errors import Mistakes
from mrtune.search.space.files import find_source
from mrtune.search.space.overrides import override
from mrtune.search.space.places import Places
from mrtune.search.space.rules import rule_mistakes
from mrtune.search.space.shape import shape_mistakes, without
from mrtune.search.space.space import Space
from mrtune.strict_yaml import read_document


def load_space(name_or_path: str, overrides: Sequence[tuple[str, Any]] = ()) -> Space:
    """Read and check a search space by name or path; `overrides` are dotted keys and values."""
    source = find_source(name_or_path)
    document = read_document(source.text, source.name)
    data, set_here, faults = override(_beside(document.value, source.folder), overrides)
    mistakes = shape_mistakes(data)
    sound = without(data, mistakes)
    if sound is not None:
        mistakes += rule_mistakes(sound, _names(data.get("params")))
    lines = faults + Places(document, data, set_here).lines(mistakes)
    if lines:
        raise Mistakes(lines)
    assert sound is not None  # a space without a trainer has a mistake
    return sound


def _names(params: Any) -> list[str]:
    return [name for name in params if isinstance(name, str)] if isinstance(params, dict) else []


def _beside(data: dict[str, Any], folder: Path | None) -> dict[str, Any]:
    """Find a trainer file from the folder of the file that names it."""
    trainer = data.get("trainer")
    if folder is None or not isinstance(trainer, str) or not trainer.endswith(".py"):
        return data
    return {**data, "trainer": str((folder / trainer).resolve())}
