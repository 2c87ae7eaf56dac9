import contextlib
import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mrtune.errors import UsageError
from mrtune.search.space import load_space, space_names
from mrtune.search.space.files import find_source
from tests.search.space.conftest import HEAD, MistakesIn

BAD = """\
trainer: celeba
objective: f_scor
buget: {epochs: 3}
budget:
  epochs: -1
  grce: 3
params:
  p: {low: 0.3, high: 1.9}
  p: {low: 0.3, high: 0.9}
  finsh_at: {low: 1, high: 7}
  delta: {low: 1e-5, hgh: 2}
  lr: 3
  method: [mr, gradnrm]
  batch_size: {low: 16, high: 33}
  weight_decay: {low: 0, high: 1, when: {methd: mr}}
fixed:
  r: 2
  epochs: 3
"""


def test_every_mistake_is_told_at_once_with_its_line_and_column(mistakes_in: MistakesIn) -> None:
    assert mistakes_in(BAD, head="") == [
        "2:1: objective: no metric 'f_scor' of ours; did you mean 'f_score'?"
        " (any other needs a direction)",
        "3:1: buget: unknown key 'buget'; did you mean 'budget'?",
        "5:11: budget.epochs: should be greater than 0, got -1",
        "6:3: budget.grce: unknown key 'grce'; did you mean 'grace'?",
        "8:23: params.p.high: should be less than or equal to 1, got 1.9",
        "9:3: the key 'p' stands twice",
        "10:3: params.finsh_at: unknown key 'finsh_at'; did you mean 'finish_at'?",
        "11:3: params.delta: high is missing",
        "11:22: params.delta.hgh: unknown key 'hgh'; did you mean 'high'?",
        "12:7: params.lr: must be a mapping with low and high, or with choices,"
        " or a list of choices, got 3",
        "13:3: params.method: no method 'gradnrm'; did you mean 'gradnorm'?",
        "14:3: params.batch_size: takes whole numbers only: add `type: int`",
        "15:42: params.weight_decay.when.methd: no other parameter 'methd'; did you mean 'method'?",
        "17:6: fixed.r: should be less than or equal to 1, got 2",
        "18:3: fixed.epochs: the length of a training is budget.epochs",
    ]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        # ranges and choices
        ("params: {p: {low: 0.9, high: 0.1}}", "4:13: params.p: low must not exceed high, got"),
        ("params: {lr: {low: 0, high: 1, log: true}}", "low must be above 0 where log is true"),
        ("params: {p: {low: 0.1, high: 0.9, step: 0.3}}", "low plus a whole number of steps"),
        ("params: {lr: {low: 1, high: 2, step: 1, log: true}}", "step and log exclude each other"),
        ("params: {p: {type: flaot, low: 0, high: 1}}", "should be 'float' or 'int', got 'flaot'"),
        ("params: {p: {low: .nan, high: 1}}", "params.p.low: should be a finite number, got nan"),
        ("params: {p: [.inf]}", "must be finite numbers, names, true, false or null, not inf"),
        ("params: {p: [[0.1]]}", "must be finite numbers, names, true, false or null, not [0.1]"),
        ("params: {p: []}", "params.p: must not be empty, got []"),
        ("params: {p: [0.5, 0.5]}", "choices must differ, 0.5 stands twice"),
        ("params: {p: [0.5, 2]}", "4:19: params.p.1: should be less than or equal to 1, got 2"),
        ("params: {1: [2]}", "params.1: should be a valid string, got 1"),
        ("params: {}", "4:9: params: must not be empty, got {}"),
        ("params: 3", "4:9: params: must be a mapping, got 3"),
        ("fixed: {}", "1:1: params is missing"),
        # by depth
        ("params: {p: {shallow: [0.1]}}", "4:10: params.p: deep is missing"),
        ("params: {p: {shallow: [0.1], deep: [2]}}", "params.p.deep.0: should be less than or"),
        ("params: {p: {shallow: [1], dep: [1]}}", "unknown key 'dep'; did you mean 'deep'?"),
        ("params: {lr: {shallow: [0.1], deep: [0.2]}}", "params.lr: should be a valid number, got"),
        (
            "params: {p: {shallow: {shallow: [1], deep: [1]}, deep: [1]}}",
            "params.p.shallow: must be a mapping with low and high",
        ),
        (
            "params: {method: [mr], p: {shallow: {choices: [1], when: {method: mr}}, deep: [1]}}",
            "both ends are used or none: `when` stands beside them",
        ),
        # names, methods and their values
        ("params: {p: [0.5], widht: [8]}", "4:20: params.widht: unknown key 'widht'; did you mean"),
        ("params: {p: [0.5]}\nfixed: {widht: 8}", "5:9: fixed.widht: unknown key 'widht'"),
        ("params: {alpha: [1]}", "params.alpha: belongs to gradnorm, fairgrad, but method is mr"),
        ("params: {method: {low: 0, high: 1}}", "4:10: params.method: must be a list of methods"),
        ("params: {lr: [1]}\nfixed: {method: mt}", "5:9: fixed.method: no method 'mt'; did you"),
        ("params: {lr: [1]}\nfixed: {method: [mr, tr]}", "must be one method: several go under"),
        ("params: {method: [mr, mtl], p: [1]}", "mtl cannot take it: give it when: {method: [mr]}"),
        (
            "params: {method: [mr, mtl]}\nfixed: {r: 1}",
            "5:9: fixed.r: mtl cannot take it: give it params with when: {method: [mr]}",
        ),
        ("params: {p: [1]}\nfixed: {p: 0.5}", "5:9: fixed.p: p stands under params too"),
        ("params: {p: [1]}\nfixed: {p: {shallow: 1}}", "5:12: fixed.p: deep Field required, got"),
        ("params: {epochs: [1]}", "4:10: params.epochs: the length of a training is budget.epochs"),
        ("params: {p: [1]}\nfixed: {lr: 2026-01-01}", "5:13: fixed.lr: input was not a valid JSON"),
        # conditions
        ("params: {delta: [1], finish_at: [1]}", "4:22: params.finish_at: delta is given too"),
        ("params: {delta: [1]}\nfixed: {finish_at: 1}", "5:9: fixed.finish_at: delta is given too"),
        ("params: {r: {choices: [1], when: {p: 1}}}", "no other parameter 'p'; there is none"),
        (
            "params: {r: {choices: [1], when: {p: 1}}, p: [0.5]}",
            "4:38: params.r.when.p: must be one of 0.5, got 1",
        ),
        (
            "params: {r: {choices: [1], when: {p: 1}}, p: {low: 0, high: 1}}",
            "p must have choices for others to depend on it",
        ),
        (
            "params: {r: {choices: [1], when: {p: 1}}, p: {choices: [1], when: {r: 1}}}",
            "4:28: params.r.when: r depends on itself",
        ),
        # the whole
        ("params: {p: {low: 0, high: 1}}\nsampler: grid", "needs step or choices, this is a range"),
        ("params: {p: [1]}\nsampler: tep", "5:10: sampler: should be 'tpe', 'gp', 'cmaes'"),
        ("params: {p: [1]}\nresources: {cpu: 2}", "5:13: resources.cpu: unknown key 'cpu'; did"),
        (
            "params: {p: [1]}\nresources: {gpu_memory: 2}",
            "5:12: resources: gpu_memory limits what a trial uses of its GPU, and gpus is 0",
        ),
        ("params: {p: [1]}\nseeds: 0", "5:8: seeds: should be greater than or equal to 1, got 0"),
    ],
)
def test_a_mistake_is_told_with_its_place_rule_and_value(
    mistakes_in: MistakesIn, text: str, mistake: str
) -> None:
    assert any(mistake in line for line in mistakes_in(text)), mistakes_in(text)


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("trainer: fashion\n", "", "1:1: trainer is missing"),
        ("fashion", "fashoin", "1:1: trainer: no workload 'fashoin'; did you mean 'fashion'?"),
        ("fashion", "./mine.py", "mine.py: no such trainer file"),
        ("f_score", "[]", "2:12: objective: must not be empty, got []"),
        ("f_score", "3", "2:12: objective: must be a metric, a mapping with metric and direction"),
        ("f_score", "{metric: x, direction: up}", "should be 'maximize' or 'minimize', got 'up'"),
        ("f_score", "{metric: x, direction: maximize}", "2:13: objective.metric: no metric 'x'"),
        ("f_score", "{metric: f_score, drection: up}", "unknown key 'drection'; did you mean"),
        ("f_score", "[f_score, loss, f_score]", "objective.2: f_score stands twice"),
        ("f_score", "[f_score, loss]\npruner: asha", "pruner: must be none where there are"),
        ("f_score", "[f_score, loss]\nsampler: cmaes", "sampler: cannot be cmaes where there"),
        ("f_score", "[loss, f, iou, miou, seconds]", "objective: must be at most 4 metrics"),
        ("{epochs: 8}", "8", "3:9: budget: must be a mapping, got 8"),
        ("{epochs: 8}", "{epochs: 8, grace: 9}", "budget.grace: must be at most budget.epochs = 8"),
        ("{epochs: 8}", "{epochs: 8, reduction: 1}", "should be greater than or equal to 2, got 1"),
    ],
)
def test_mistakes_in_the_head_are_told_too(
    mistakes_in: MistakesIn, old: str, new: str, mistake: str
) -> None:
    lines = mistakes_in("params: {p: [0.5]}", head=HEAD.replace(old, new))
    assert len(lines) == 1
    assert mistake in lines[0]


def test_a_mistake_made_by_a_setting_names_the_setting(mistakes_in: MistakesIn) -> None:
    settings = [("params.p.hihg", 1), ("budget.epochs", 0), ("trainer.x", 1), ("fixed.lrr", 2)]
    assert mistakes_in("params: {p: {low: 0.1, high: 0.9}}", *settings) == [
        "-S trainer.x: trainer holds no other values, it is 'fashion'",
        "-S budget.epochs: should be greater than 0, got 0",
        "-S fixed.lrr: unknown key 'lrr'; did you mean 'lr'?",
        "-S params.p.hihg: unknown key 'hihg'; did you mean 'high'?",
    ]


def test_what_yaml_cannot_read_is_told_with_its_place(tmp_path: Path) -> None:
    for text, message in (
        ("a: [1", "bad.yaml:1:6: expected ',' or ']'"),
        ("[1]", "bad.yaml: must hold a mapping of parameters, got [1]"),
        ("? [1]\n: 2", "bad.yaml:1:3: a key must be a single value"),
    ):
        (tmp_path / "bad.yaml").write_text(text)
        with pytest.raises(UsageError) as raised:
            load_space(str(tmp_path / "bad.yaml"))
        assert message in str(raised.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fashon", "no search space 'fashon'; did you mean 'fashion'?"),
        ("none.yaml", "none.yaml: cannot be read: No such file or directory"),
    ],
)
def test_a_space_that_is_not_there_is_told(name: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        load_space(name)
    assert message in str(raised.value)


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.sampled_from(["p", "mr", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["low", "high", "choices", "shallow", "when", "p"]), inner
        )
    ),
    max_leaves=6,
)


@given(name=st.sampled_from(space_names()), value=values, data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_file_whatever_is_a_crash(
    name: str, value: Any, data: st.DataObject, tmp_path: Path
) -> None:
    """Put anything anywhere into a sound file: it loads, or its mistakes are told."""
    content = copy.deepcopy(yaml.safe_load(find_source(name).text))
    node = content
    while True:
        key = data.draw(st.sampled_from(sorted(node)))
        if not isinstance(node[key], dict) or not node[key] or data.draw(st.booleans()):
            break
        node = node[key]
    node[key] = value
    file = tmp_path / "any.yaml"
    file.write_text(yaml.safe_dump(content))
    with contextlib.suppress(UsageError):
        load_space(str(file))
