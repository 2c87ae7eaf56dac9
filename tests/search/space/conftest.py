from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mrtune.errors import Mistakes
from mrtune.search.space import Space, load_space

HEAD = """\
trainer: fashion
objective: f_score
budget: {epochs: 8}
"""
Load = Callable[..., Space]
MistakesIn = Callable[..., list[str]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load a space from text: `load("params: {p: [0.5]}")` has fashion and 8 epochs around it."""
    monkeypatch.chdir(tmp_path)

    def loaded(text: str, *settings: tuple[str, Any], head: str = HEAD) -> Space:
        Path("space.yaml").write_text(head + text, encoding="utf-8")
        return load_space("space.yaml", settings)

    return loaded


@pytest.fixture
def mistakes_in(load: Load) -> MistakesIn:
    """Load a space that has mistakes and return them, without the file's name."""

    def found(text: str, *settings: tuple[str, Any], head: str = HEAD) -> list[str]:
        with pytest.raises(Mistakes) as raised:
            load(text, *settings, head=head)
        return [line.removeprefix("space.yaml:") for line in raised.value.lines]

    return found
