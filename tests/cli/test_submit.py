"""What is refused before a search is handed to a cluster, and how its command is written anew."""

from collections.abc import Callable

import pytest

from mrtune.cli.search import command as search
from mrtune.cli.submit import said_again
from mrtune.study.storage import without_password
from tests.conftest import Outcome

Run = Callable[..., Outcome]
NOBODY = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "--storage must be a database that the cluster reaches"),
        (("--storage", "/far/s.db"), "--runs must be an absolute path of the cluster, got mrtune_"),
        (("--storage", "/far/s.db", "--runs", "/far/runs"), "the cluster does not take the job"),
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


def test_a_password_stays_at_home() -> None:
    bare = without_password("postgresql://me:sesame@db:5433/mrtune")
    assert "sesame" not in bare
    assert bare.endswith("me@db:5433/mrtune")
