"""What the README says of search spaces is so."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.search.space import load_space
from tests.conftest import Outcome

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_example_is_a_sound_space() -> None:
    Path("mine.yaml").write_text(EXAMPLE)
    assert load_space("mine.yaml").trials == 200


def test_the_mistakes_shown_are_those_that_are_told(mrtune: Callable[..., Outcome]) -> None:
    text = EXAMPLE.replace("finish_at: {low", "finsh_at: {low").replace("low: 1e-5", "low: 1e-2")
    Path("mine.yaml").write_text(text)
    command = re.search(r"\$ mrtune (validate mine\.yaml [^#]*)#", README)
    assert command is not None
    shown = [line for line in README.splitlines() if line.startswith("mrtune: mine.yaml:")]
    assert mrtune(*command[1].split()).err.splitlines() == shown
