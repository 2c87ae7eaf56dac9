"""YAML as people mean it: `1e-5` is a number, and a key stands once."""

import re
from pathlib import Path
from typing import Any

import yaml

from mrtune.errors import UsageError


class StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader without its two traps."""


def _mapping(loader: StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} stands twice", key_node.start_mark
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)


def read_mapping(path: Path) -> dict[str, Any]:
    """Read a file that holds one mapping; say file, line and column of what is wrong in it."""
    try:
        value = yaml.load(path.read_text(encoding="utf-8"), Loader=StrictLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise UsageError(f"{place}: {error.problem}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path}: must hold a mapping of parameters, got {value!r}")
    return value
