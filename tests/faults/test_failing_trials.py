"""Whatever happens to trials, the search goes on and says what happened. Real Ray, real kills."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mrtune.study import load_study, open_storage, read_study
from tests.conftest import Outcome

HERE = Path(__file__).parent

pytestmark = pytest.mark.slow


def test_every_way_to_fail_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mrtune: Callable[..., Outcome]
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = mrtune(
        *("search", str(HERE / "mischief.py"), "--study", "m", "--retries", "1"),
        *("-S", f"fixed.flag={tmp_path / 'killed'}", "--trial-timeout", "15"),
    )
    assert outcome.code == 3, outcome
    record = read_study(load_study(open_storage("mrtune.db"), "m"))
    trials = {trial.params["what"]: trial for trial in record.trials}
    reasons = {what: (t.failure or {}).get("reason", "") for what, t in trials.items()}
    assert {what: t.state for what, t in trials.items()} == {
        "fine": "complete",
        "raising": "fail",
        "nan": "fail",
        "hanging": "fail",
        "hungry": "fail",
        "killed": "complete",
        "doomed": "fail",
    }
    assert reasons["raising"] == "ValueError: no such luck"
    assert "be_raising" in (trials["raising"].failure or {})["traceback"]
    assert reasons["nan"] == "score is nan at epoch 3"
    assert reasons["hanging"] == "took longer than the 15 s of --trial-timeout"
    assert "be_hanging" in (trials["hanging"].failure or {})["traceback"]
    assert reasons["hungry"].startswith("out of memory")
    assert reasons["doomed"].startswith("its worker was lost")
    # Killed once: continued from its checkpoint, counted, and whole.
    assert trials["killed"].retries == 1
    assert trials["doomed"].retries == 1
    assert trials["killed"].curves["epoch"] == [1.0, 2.0, 3.0, 4.0]
    assert "restored at 2" in (Path(trials["killed"].slot or "") / "log.txt").read_text()
    assert "5 of 7 trials failed" in outcome.err
    assert "ValueError: no such luck (trial 1)" in outcome.err
