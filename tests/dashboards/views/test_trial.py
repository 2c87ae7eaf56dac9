import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from dashboards.blocks import Action, Row
from dashboards.views import trial as view
from mrtune.config import parse_setting
from mrtune.roaming import Origin
from mrtune.roaming.history import ENTERED, replay
from mrtune.study import Rung, StudyRecord, TrialRecord
from mrtune.study.rows import Content
from tests.dashboards.views.reading import codes, controls, facts, figures, rows, table, words
from tests.study.made import study, trial

UNITS = {"conv1": 8, "conv2": 12}
ORIGIN = Origin(units=UNITS, tasks=3, p=0.5, batches_per_epoch=10, delta=1.0, seed=5)


def roamed(epoch: float = 3.0, state: str = "pruned", **origin: Any) -> TrialRecord:
    network = {
        "parameters": 1234,
        "tasks": ["hat", "hair", "<b>"],
        "roaming": ORIGIN.to_dict() | origin,
    }
    curves = {"epoch": [epoch], "f": [0.4], "roaming/completion": [0.5]}
    return trial(0, state, curves=curves, network=Content(json.dumps(network)))


def three(**more: Any) -> StudyRecord:
    return study(
        trial(0, "complete", 0.5, params={"p": 0.8, "lr": 0.1}, default=True),
        trial(1, "complete", 0.9, params={"p": 0.3, "lr": 0.1}),
        trial(2, "complete", 0.7, params={"p": 0.3, "lr": 0.1}, config=1, seed=1),
        trial(3, "running", params={"p": 0.7000000000000001}, **more),
    )


def test_the_best_trial_is_shown_unless_another_is_asked_for() -> None:
    assert facts(view.blocks(three(), {}))["trial"] == "1"
    assert facts(view.blocks(three(), {"trial": "3"}))["trial"] == "3"
    assert facts(view.blocks(three(), {"trial": "x"}))["trial"] == "1"
    page = view.blocks(three(), {"trial": "77"})
    assert facts(page)["trial"] == "1"
    assert "There is no trial 77" in words(page, "warning")


def test_parameters_stand_beside_those_of_the_best_and_the_default() -> None:
    page = view.blocks(three(), {"trial": "3"})
    assert table(page, "parameters") == [["p", "0.7", "0.3", "0.8"], ["lr", "–", "0.1", "0.1"]]
    assert [row[1].strong for row in rows(page, "parameters")] == [True, True]
    page = view.blocks(three(), {"trial": "2"})
    assert table(page, "seeds") == [["1", "0", "● complete", "0.9"]]
    assert rows(page, "seeds")[0][0].link == "/study/s/trial?trial=1"


def test_only_a_running_trial_can_be_stopped() -> None:
    def actions(number: str) -> list[Action]:
        page = view.blocks(three(), {"trial": number})
        items = (item for block in page if isinstance(block, Row) for item in block.items)
        return [item for item in items if isinstance(item, Action)]

    (stop,) = actions("3")
    assert (stop.request, stop.trial, stop.danger) == ("stop-trial", 3, True)
    assert actions("1") == []


def test_the_command_gives_the_same_configuration_back() -> None:
    setting = {
        "method": "mr",
        "p": {"shallow": 0.7000000000000001, "deep": 0.3},
        "root": "my data/it's",
        "amp": "true",  # the text
        "guard": True,
        "seedless": None,
        "名": "日本",
    }
    record = study(trial(0, "complete", 0.5, setting=setting, seed=4), workload="./my trainer.py")
    words_ = shlex.split(view.command(record, record.trials[0]))
    assert words_[:3] == ["mrtune", "train", "./my trainer.py"]
    assert words_[-2:] == ["--seed", "4"]
    assert dict(map(parse_setting, words_[4:-2:2])) == setting


def test_a_failure_shows_its_reason_and_traceback() -> None:
    failure = {"reason": "ValueError: <b>", "traceback": "Traceback …\nValueError: <b>"}
    page = view.blocks(study(trial(0, "fail", failure=failure)), {})
    assert "ValueError: <b>" in words(page, "warning")
    assert failure["traceback"] in codes(page)


def test_a_pruned_trial_says_what_was_needed() -> None:
    rungs = (Rung(0, 2.0, 0.4, 0.5, False),)
    curves = {"epoch": [1.0, 2.0], "f": [0.3, 0.4]}
    page = view.blocks(study(trial(0, "pruned", rungs=rungs, curves=curves)), {})
    assert "stopped at rung 0, epoch 2, with 0.4; 0.5 was needed" in words(page)
    needed = figures(page)["curves"].data[-1]
    assert (needed.x, needed.y) == ((2.0,), (0.5,))


def test_curves_of_tasks_share_a_picture() -> None:
    curves = {"epoch": [1.0], "loss/a": [1.0], "loss/b": [2.0], "loss": [3.0], "f": [0.5]}
    record = study(trial(0, "complete", 0.5, curves=curves))
    found = view.info(record)
    assert found is not None
    assert [panel.title for panel in found.curves.panels] == ["f", "loss", "loss/…"]
    assert list(found.curves.panels[2].lines) == ["a", "b"]


def test_its_roaming_is_replayed_exactly_as_far_as_it_came() -> None:
    page = view.blocks(study(roamed(epoch=3.0)), {"layer": "conv2"})
    moments = replay(ORIGIN, "conv2", epochs=3.0)
    assert len(moments) == 4
    drawn = figures(page)["roaming"]
    for task, picture in enumerate(drawn.data[:3]):
        assert picture.z.tolist() == [moment.status[task].tolist() for moment in moments]
        assert list(picture.y) == [0.0, 1.0, 2.0, 3.0, 4.0]  # from when to when each state lasts
    shares = {trace.name: list(trace.y) for trace in drawn.data[3:]}
    assert shares["visited share"] == pytest.approx([0.5, 7 / 12, 8 / 12, 9 / 12])
    assert shares["visited share by Eq. 4"] == pytest.approx(shares["visited share"])
    assert shares["overlap of two tasks"] == pytest.approx([m.overlap for m in moments])
    assert drawn.layout.annotations[2].text == "&lt;b&gt;"


def test_a_running_trial_is_cut_where_it_is() -> None:
    running = view.blocks(study(roamed(epoch=2.0, state="running")), {"layer": "conv2"})
    stopped = view.blocks(study(roamed(epoch=2.0)), {"layer": "conv2"})
    assert figures(running)["roaming"].data[0].z.tolist() == (
        figures(stopped)["roaming"].data[0].z.tolist()
    )


def test_layer_and_task_can_be_chosen() -> None:
    page = view.blocks(study(roamed()), {"task": "1"})
    assert controls(page)["layer"].value == "conv2"  # the widest, unless told
    page = view.blocks(study(roamed()), {"task": "1", "layer": "conv1"})
    assert controls(page)["layer"].value == "conv1"
    pictures = [trace for trace in figures(page)["roaming"].data if trace.type == "heatmap"]
    assert len(pictures) == 1
    assert controls(page)["task"].options["1"] == "hair"  # type: ignore[union-attr]


def test_a_wide_layer_over_many_swaps_is_thinned_and_still_shows_every_entry() -> None:
    wide = {"units": {"wide": 1000}, "tasks": 8, "p": 0.5, "delta": 0.1}
    network = {"tasks": [], "roaming": ORIGIN.to_dict() | wide}
    curves = {"epoch": [50.0], "f": [0.4]}
    page = view.blocks(study(trial(0, "complete", 0.4, curves=curves, network=network)), {})
    drawn = figures(page)["roaming"]
    assert len(drawn.to_json()) < 1_000_000
    picture = drawn.data[0]
    assert picture.z.shape == (62, 1000)  # half a million cells over eight tasks
    assert (picture.z == ENTERED).sum(axis=1).max() <= 9
    assert (picture.z == ENTERED).sum() > 400  # of 500 swaps; some units leave again in between


def test_cosine_roaming_is_not_replayed() -> None:
    page = view.blocks(study(roamed(selection="cosine")), {})
    assert "depend on what the network learnt" in words(page, "note")
    (line,) = figures(page)["roaming"].data
    assert line.name == "roaming/completion"


def test_a_trial_that_does_not_roam_says_so() -> None:
    network = {"parameters": 5, "tasks": ["a"], "roaming": None}
    page = view.blocks(study(trial(0, "complete", 0.5, network=network)), {})
    assert "does not partition" in words(page)
    still = view.blocks(study(roamed(r=0.0)), {})
    assert "No unit of conv2 has been swapped" in words(still)


def test_a_roaming_of_another_version_is_a_warning() -> None:
    page = view.blocks(study(roamed(sigma=0.2)), {})
    assert "cannot be replayed" in words(page, "warning")


def test_the_end_of_its_log_is_shown_where_it_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("\n".join(f"line {i}" for i in range(100_000)))
    page = view.blocks(study(trial(0, "complete", 0.5, slot=str(tmp_path))), {})
    assert codes(page)[-1] == "\n".join(f"line {i}" for i in range(99_960, 100_000))
    assert "checkpoints are gone" in words(page)
    (tmp_path / "checkpoints").mkdir()
    page = view.blocks(study(trial(0, "complete", 0.5, slot=str(tmp_path))), {})
    assert f"Checkpoints are in {tmp_path / 'checkpoints'}" in words(page)


def test_a_log_on_another_machine_is_told_of() -> None:
    away = trial(0, "complete", 0.5, slot="/nowhere/00000", place={"host": "node-7"})
    assert "/nowhere/00000/log.txt on node-7" in words(view.blocks(study(away), {}), "note")


def test_provenance_is_listed() -> None:
    known = {"git": "abc", "versions": {"torch": "2.15"}}
    page = view.blocks(study(trial(0, "complete", 0.5, provenance=known)), {})
    assert table(page, "provenance") == [["git", "abc"], ["versions.torch", "2.15"]]
