"""What is refused before a search is handed to a cluster, and how its command is written anew."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.cli.search import command as search
from mrtune.cli.submit import said_again
from mrtune.errors import UsageError
from mrtune.search.luggage import packed, travelling
from mrtune.search.provenance import check_submitter, versions
from mrtune.study.storage import has_password, shown_url, without_password
from mrtune.training.resolve import TRAVELLED, load_trainer
from tests.conftest import Outcome

Run = Callable[..., Outcome]
NOBODY = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--storage must be a database that the cluster reaches"),
        (("--storage", "/far/s.db"), "--runs must be an absolute path of the cluster, got mrtune_"),
        (
            ("--storage", "/far/s.db", "--runs", "/far/runs"),
            "no Ray cluster at --address 'http://127.0.0.1:1'",
        ),
    ],
)
def test_what_only_means_something_here_is_refused(
    options: tuple[str, ...], message: str, mrtune: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MRTUNE_STORAGE", raising=False)
    outcome = mrtune("search", "fashion", "--address", NOBODY, *options)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_command_is_said_again_with_changes() -> None:
    words = ["mine.py", "-S", "a=1", "-S", "b=2", "--time-budget", "2h", "-q", "--address", "here"]
    context = search.make_context("search", words)
    changed = {"address": "auto", "study": "far"}
    again = search.make_context("search", said_again(context, changed))
    assert again.params == context.params | changed


def test_what_is_to_be_left_out_is() -> None:
    context = search.make_context("search", ["fashion", "--storage", "x.db", "--trials", "3"])
    assert said_again(context, {"storage": None}) == ["fashion", "--trials", "3"]


def test_a_job_from_another_mrtune_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    home = versions()
    monkeypatch.setenv(TRAVELLED, json.dumps(home))
    assert check_submitter() == []
    monkeypatch.setenv(TRAVELLED, json.dumps(home | {"torch": "0.1"}))
    assert check_submitter() == [f"torch is {home['torch']} here, 0.1 at home"]
    monkeypatch.setenv(TRAVELLED, json.dumps(home | {"mrtune": "0.0"}))
    with pytest.raises(UsageError, match=r"mrtune is .* here, 0\.0 where the job is from"):
        check_submitter()


def test_what_travels_with_a_trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mine.py", "helping.py", "notes.txt", "library/__init__.py", "data/x.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    for link in (".#mine.py", "library/.#x.py"):
        (tmp_path / link).symlink_to("nobody")
    wanted = ["helping.py", "library", "mine.py"]
    assert [path.name for path in travelling(str(tmp_path / "mine.py"))] == wanted
    assert travelling("fashion") == []
    with packed(travelling(str(tmp_path / "mine.py"))) as environment:
        copied = Path(environment["working_dir"])
        assert sorted(path.name for path in copied.iterdir()) == wanted
        assert [path.name for path in (copied / "library").iterdir()] == ["__init__.py"]
    with pytest.raises(UsageError, match="no such trainer file, nor is there one of its name"):
        travelling("/far/mine.py")
    monkeypatch.chdir(tmp_path)
    assert [path.name for path in travelling("/far/mine.py")] == wanted


def test_a_trainer_that_came_with_a_job_goes_before_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(f"def build(): return {folder!r}\n")
    monkeypatch.chdir(tmp_path / "new")
    old = str(tmp_path / "old" / "mine.py")
    assert load_trainer(old).build() == "old"
    with pytest.raises(UsageError, match="no such trainer file"):
        load_trainer("typo/mine.py")
    monkeypatch.setenv(TRAVELLED, "{}")
    assert load_trainer(old).build() == "new"
    assert load_trainer("typo/mine.py").build() == "new"


def test_a_password_stays_at_home() -> None:
    bare = without_password("postgresql://me:sesame@db:5433/mrtune")
    assert "sesame" not in bare
    assert bare.endswith("me@db:5433/mrtune")
    for query in ("password=sesame", "sslpassword=sesame&x=1"):
        url = f"postgresql://me@db/mrtune?{query}"
        assert has_password(url)
        assert "sesame" not in without_password(url) + shown_url(url)
    assert not has_password("postgresql://me@db/mrtune?x=1")
