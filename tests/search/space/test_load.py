import json
from pathlib import Path

import pytest

from mrtune.config import parse_setting
from mrtune.search.space import Objective, Space, load_space
from tests.search.space.conftest import HEAD, Load
from tests.training import toy

SMALL = "params: {p: {low: 0.1, high: 0.9}}\nfixed: {lr: 1e-5}\n"


def test_what_is_not_said_takes_its_default(load: Load) -> None:
    space = load(SMALL)
    assert space.objectives == (Objective(metric="f_score", direction="maximize"),)
    assert (space.pruner, space.sampler, space.seeds, space.trials) == ("asha", "tpe", 1, 100)
    assert (space.budget.grace, space.budget.rungs) == (None, "epoch")
    assert (space.resources.cpus, space.resources.gpus) == (1, 0)


def test_1e_5_is_a_number_in_files_and_settings(load: Load) -> None:
    setting = parse_setting("params.lr.low=1e-5")
    assert load(SMALL).fixed["lr"] == 1e-5
    text = "params: {lr: {low: 1e-4, high: 1E-2, log: true}}"
    lr = load(text, setting).dimensions["lr"]
    assert lr.ends == (1e-5, 1e-2)


@pytest.mark.parametrize(
    ("text", "directions"),
    [
        ("f_score", {"f_score": "maximize"}),
        ("f/Smiling", {"f/Smiling": "maximize"}),
        ("loss/global", {"loss/global": "minimize"}),
        ("{metric: accuracy, direction: minimize}", {"accuracy": "minimize"}),
        ("[miou, depth_rel_error]", {"miou": "maximize", "depth_rel_error": "minimize"}),
        ("[miou, {metric: loss}]", {"miou": "maximize", "loss": "minimize"}),
    ],
)
def test_objectives_may_be_short(load: Load, text: str, directions: dict[str, str]) -> None:
    space = load(SMALL, head=HEAD.replace("f_score", text))
    assert {o.metric: o.direction for o in space.objectives} == directions
    assert space.pruner == ("asha" if len(directions) == 1 else "none")


def test_any_value_can_be_overridden(load: Load) -> None:
    space = load(
        SMALL,
        ("params.p.low", 0.2),
        ("budget.epochs", 4),
        ("fixed.width", 8),
        ("params.method", ["mr"]),
        ("objective.1", "loss"),
        ("objective.0", "accuracy"),
        ("pruner", "none"),
        ("resources", {"cpus": 2}),
        head=HEAD.replace("f_score", "[f_score, miou]"),
    )
    assert space.dimensions["p"].ends == (0.2, 0.9)
    assert space.budget.epochs == 4
    assert space.fixed == {"lr": 1e-5, "width": 8}
    assert space.dimensions["method"].values == ("mr",)
    assert [objective.metric for objective in space.objectives] == ["accuracy", "loss"]
    assert space.resources.cpus == 2


def test_a_parameter_can_be_taken_out_of_the_search_and_fixed(load: Load) -> None:
    space = load(SMALL, ("params.p", None), ("fixed.p", 0.5), ("params.r", [0.5, 1]))
    assert list(space.params) == ["r"]
    assert space.fixed["p"] == 0.5


def test_a_space_goes_through_json_unchanged(load: Load) -> None:
    text = """
params:
  method: [mr, gradnorm]
  p: {shallow: {low: 0.1, high: 0.9}, deep: [0.5, 1], when: {method: mr}}
  alpha: {choices: [0.5, 1], when: {method: gradnorm}}
  batch_size: {type: int, low: 32, high: 128, log: true}
fixed: {clip: null}
"""
    space = load(text, head=HEAD.replace("f_score", "[f_score, loss]"))
    assert Space.from_dict(json.loads(json.dumps(space.to_dict()))) == space


def test_a_trainer_file_is_found_beside_the_file_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.py").write_text(Path(toy.__file__).read_text())
    text = "trainer: ./mine.py\nobjective: accuracy\nbudget: {epochs: 2}\nparams: {p: [0.5]}\n"
    (folder / "mine.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert load_space("mine/mine.yaml").trainer == str((folder / "mine.py").resolve())
    assert load_space("mine/mine.yaml", [("trainer", "fashion")]).trainer == "fashion"


def test_of_a_users_trainer_any_name_and_metric_may_be_given(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def build(config, seed, device): ...\n")
    (tmp_path / "mine.yaml").write_text(
        "trainer: mine.py\nobjective: {metric: my/score, direction: minimize}\n"
        "budget: {epochs: 2}\nparams: {depth: [1, 2], method: [sgd, adam]}\n"
    )
    space = load_space(str(tmp_path / "mine.yaml"))
    assert list(space.params) == ["depth", "method"]
