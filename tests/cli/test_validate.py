import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Mrtune = Callable[..., Outcome]


def test_a_sound_space_is_summed_up(mrtune: Mrtune) -> None:
    code, out, err = mrtune("validate", "fashion", "-S", "params.p.low=0.25", "-S", "seeds=2")
    assert (code, err) == (0, "")
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line}
    assert rows["objective"] == "f_score (maximize)"
    assert rows["search"] == "12 configurations by tpe, 2 seeds each"
    assert rows["budget"] == "8 epochs a training; asha stops none before epoch 2"
    assert rows["p"] == "0.25 to 0.9"
    assert rows["r"] == "0 to 1 by 0.25"
    assert rows["lr"] == "0.0003 to 0.03 (log)"
    assert rows["roaming"].startswith("the typical plan ends at epoch 2.79")
    assert "warning" not in out


def test_conditions_and_warnings_are_shown(mrtune: Mrtune) -> None:
    settings = ("-S", "params.finish_at.choices=[20]", "-S", 'params.method=["mr"]')
    out = mrtune("validate", "fashion_p", "-S", "fixed.width=4", *settings).out
    assert "method is mr" in out
    assert "warning: at finish_at=20, p=0.1, r=1: roaming ends at epoch 20, budget 8: " in out


def test_json_has_the_space_and_the_outlook(mrtune: Mrtune) -> None:
    found = json.loads(mrtune("validate", "fashion", "--json").out)
    assert found["space"]["budget"]["epochs"] == 8
    assert found["grace"] == 2
    assert found["typical"]["method"] == "mr"
    assert 2.7 < found["end"] < 2.8
    assert found["warnings"] == []


def test_every_mistake_is_a_line_and_the_exit_code_is_2(
    mrtune: Mrtune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(
        "trainer: fashion\nobjective: f_score\nbudget: {epohcs: 8}\nparams: {finsh_at: [1]}\n"
    )
    code, out, err = mrtune("validate", "mine.yaml", "-S", "trials=0")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "mrtune: -S trials: should be greater than or equal to 1, got 0",
        "mrtune: mine.yaml:3:1: budget: epochs is missing",
        "mrtune: mine.yaml:3:10: budget.epohcs: unknown key 'epohcs'; did you mean 'epochs'?",
        "mrtune: mine.yaml:4:10: params.finsh_at: unknown key 'finsh_at';"
        " did you mean 'finish_at'?",
    ]


def test_a_setting_without_a_value_is_refused(mrtune: Mrtune) -> None:
    code, _, err = mrtune("validate", "fashion", "-S", "params.p")
    assert code == 2
    assert err == "mrtune: -S must be key=value, got 'params.p'\n"


def test_the_schema_is_json(mrtune: Mrtune) -> None:
    code, out, _ = mrtune("schema")
    assert code == 0
    assert json.loads(out)["title"] == "mrtune search space"
