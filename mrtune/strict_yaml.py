"""YAML as people mean it: `1e-5` is a number, and a key stands once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mrtune.errors import Mistakes, UsageError

Place = tuple[str | int, ...]  # keys and positions from the outermost mapping inwards


class StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader, for which `1e-5` is a number."""


StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?[0-9][0-9_]*(\.[0-9_]*)?[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)


@dataclass(frozen=True)
class Document:
    """A mapping that was read, and where in the file each part of it stands."""

    value: dict[str, Any]
    name: str
    keys: dict[Place, yaml.Mark] = field(default_factory=dict)
    values: dict[Place, yaml.Mark] = field(default_factory=dict)
    repeated: tuple[tuple[str, yaml.Mark], ...] = ()  # keys that stand twice


def read_mapping(path: Path) -> dict[str, Any]:
    """Read a file that holds one mapping; say file, line and column of what is wrong in it."""
    document = read_document(path.read_text(encoding="utf-8"), str(path))
    if document.repeated:
        raise Mistakes([f"{position(str(path), m)}: {twice(k)}" for k, m in document.repeated])
    return document.value


def read_document(text: str, name: str) -> Document:
    """Read a mapping and where its parts stand; of a key that stands twice, the first counts."""
    loader = StrictLoader(text)
    try:
        node = loader.get_single_node()
        keys: dict[Place, yaml.Mark] = {}
        values: dict[Place, yaml.Mark] = {}
        repeated = []
        for place, key, value, first in _walk(loader, node, ()):
            if first:
                keys[place], values[place] = key, value
            else:
                repeated.append((str(place[-1]), key))
        content = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        where = position(name, error.problem_mark) if error.problem_mark else name
        raise UsageError(f"{where}: {error.problem}") from None
    finally:
        loader.dispose()
    if not isinstance(content, dict):
        raise UsageError(f"{name}: must hold a mapping of parameters, got {content!r}")
    return Document(content, name, keys, values, tuple(repeated))


def twice(key: str) -> str:
    """Say that a key is repeated."""
    return f"the key {key!r} stands twice"


def position(name: str, mark: yaml.Mark) -> str:
    """Write a place in a file as editors and compilers do."""
    return f"{name}:{mark.line + 1}:{mark.column + 1}"


def _walk(
    loader: StrictLoader, node: yaml.Node | None, place: Place, above: tuple[yaml.Node, ...] = ()
) -> Iterator[tuple[Place, yaml.Mark, yaml.Mark, bool]]:
    """Yield place, marks of key and value, and whether the key is new; drop keys that are not."""
    if node is None or node in above:  # an alias may stand inside of what it names
        return
    if isinstance(node, yaml.SequenceNode):
        for n, item in enumerate(node.value):
            yield (*place, n), item.start_mark, item.start_mark, True
            yield from _walk(loader, item, (*place, n), (*above, node))
    if isinstance(node, yaml.MappingNode):
        kept: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            key = _key(loader, key_node)
            new = key not in kept
            yield (*place, key), key_node.start_mark, value_node.start_mark, new
            if new:
                kept[key] = (key_node, value_node)
                yield from _walk(loader, value_node, (*place, key), (*above, node))
        node.value = list(kept.values())


def _key(loader: StrictLoader, node: yaml.Node) -> Any:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.MarkedYAMLError(
            problem="a key must be a single value", problem_mark=node.start_mark
        )
    return node.value if node.tag == "tag:yaml.org,2002:merge" else loader.construct_object(node)
