"""GPUs that Ray hands out, on a machine that only says that it has some."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import machines
from tests.cluster.machines import Machine, network
from tests.conftest import missing

pytestmark = pytest.mark.slow
NOTING = Path(__file__).with_name("noting.py")
SPACE = NOTING.parent.parent / "search" / "quadratic.yaml"


@pytest.fixture(scope="module")
def box() -> Iterator[Machine]:
    """A machine with two GPUs and four cores to give."""
    if not machines.possible():
        missing("the right to make network namespaces")
    with network(), Machine(9) as machine:
        machine.start_ray(None, cpus=4, gpus=2)
        yield machine


def searched(box: Machine, home: Path, together: int, *options: str) -> list[dict[str, Any]]:
    """Search, the first trials beginning together, and return what trials have noted."""
    notes = home / "notes"
    notes.mkdir()
    command = [sys.executable, "-m", "mrtune", "search", str(NOTING), "--space", str(SPACE)]
    settings = ("-S", "budget.epochs=3", "-S", "fixed.pause=1.0", "-S", f"fixed.notes={notes}")
    settings += ("-S", f"fixed.together={together}")
    where = ("--address", box.ray, "--pruner", "none", "-q")
    box.run(*command, *settings, *where, *options, cwd=home)
    lines = [line for path in notes.iterdir() for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def most_at_once(notes: list[dict[str, Any]]) -> int:
    """Count how many trials worked at the same moment."""
    return max(sum(n["from"] <= note["from"] < n["to"] for n in notes) for note in notes)


def test_a_whole_gpu_is_given_to_one_trial_at_a_time(box: Machine, tmp_path: Path) -> None:
    notes = searched(box, tmp_path, 2, "--trials", "4", "--gpus-per-trial", "1")
    assert len({note["trial"] for note in notes}) == 4
    assert most_at_once(notes) == 2
    for gpu in ("0", "1"):
        assert most_at_once([note for note in notes if note["gpus"] == gpu]) == 1


def test_a_gpu_is_shared_by_as_many_as_fit(box: Machine, tmp_path: Path) -> None:
    notes = searched(box, tmp_path, 4, "--trials", "6", "--gpus-per-trial", "0.5")
    assert len({note["trial"] for note in notes}) == 6
    assert {note["gpus"] for note in notes} == {"0", "1"}
    assert most_at_once(notes) == 4
    for gpu in ("0", "1"):
        assert most_at_once([note for note in notes if note["gpus"] == gpu]) == 2
