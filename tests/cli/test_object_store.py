"""Commands about studies whose checkpoints and logs are objects."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.conftest import Outcome
from tests.faults.searching import QUADRATIC
from tests.places.object_store import ObjectStore
from tests.search.bench import Bench, work

pytestmark = pytest.mark.slow
Run = Callable[..., Outcome]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, object_store: ObjectStore) -> Bench:
    """A finished study of two configurations."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, name="my study", runs=object_store.uri("cli"))
    bench.begin(trials=2)
    sweep = bench.sweep()
    work(sweep)
    sweep.end()
    return bench


@pytest.mark.usefixtures("study")
def test_logs_prints_what_a_trial_has_printed(mrtune: Run) -> None:
    for options in ((), ("--follow",)):
        outcome = mrtune("logs", "my study/0", *options)
        assert outcome.code == 0, outcome
        lines = outcome.out.splitlines()
        assert [line.split("  ")[0] for line in lines] == [f"epoch {n}" for n in range(1, 12)]


@pytest.mark.usefixtures("study")
def test_a_log_that_cannot_be_read_is_named(object_store: ObjectStore, mrtune: Run) -> None:
    object_store.shut()
    try:
        away = mrtune("logs", "my study/0")
    finally:
        object_store.open()
    assert away.code == 1
    (line,) = away.err.splitlines()
    assert re.search(r"/cli/my%20study-[0-9a-f]{8}/00000", line)
    assert "fails: " in line


def test_rm_leaves_no_objects(study: Bench, object_store: ObjectStore, mrtune: Run) -> None:
    slot = urlsplit(study.read().trials[0].slot or "")
    own = unquote(slot.path).strip("/").removesuffix("00000")
    assert object_store.keys(own)
    assert mrtune("rm", "my study", "--yes").code == 0
    assert object_store.keys(own) == []
    assert mrtune("ls").out.strip() == "no study yet"


def test_a_bucket_that_does_not_exist_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, object_store: ObjectStore, mrtune: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = mrtune("search", str(QUADRATIC), "--runs", object_store.uri("runs", bucket="none"))
    assert outcome.code == 2, outcome
    (line,) = [line for line in outcome.err.splitlines() if not line.startswith("warning: ")]
    assert "--runs must be an object store to write to, got s3://none/runs" in line
    assert "NO_SUCH_BUCKET" in line
    assert list(tmp_path.iterdir()) == []
