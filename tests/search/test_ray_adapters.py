"""What Ray may write to a disk of what it is given."""

from typing import Any

import cloudpickle
import pytest

from mrtune.search.ray_adapters import StudyCallback, StudyScheduler, StudySearcher, Trouble
from mrtune.search.sweep import Sweep
from tests.search.bench import Bench


@pytest.fixture
def sweep(tmp_path: Any) -> Sweep:
    folder = tmp_path / "sesame"
    folder.mkdir()
    bench = Bench(folder)
    bench.begin()
    return bench.sweep()


def test_nothing_of_the_storage_is_written(sweep: Sweep) -> None:
    trouble = Trouble()
    for adapter in (
        StudySearcher(sweep, trouble, lambda: len(sweep.live)),
        StudyScheduler(sweep, trouble),
        StudyCallback(sweep, trouble),
    ):
        assert b"sesame" not in cloudpickle.dumps({"of": adapter})
