from pathlib import Path

from benchmarks.curves import Curve, append_curve, nearest, read_curves
from benchmarks.replay import Replay

GRID = [
    (lr, 0.3, r, finish_at) for lr in (1e-3, 1e-2) for r, finish_at in ((0.0, None), (1.0, 3.0))
]


def curve(seed: int = 0) -> Curve:
    return Curve(GRID[1], seed, [0.5, 0.7], [0.0, 1.0], 3.0)


def test_a_torn_line_is_passed_over_and_does_not_spoil_the_next(tmp_path: Path) -> None:
    file = tmp_path / "curves.jsonl"
    append_curve(curve(0), file)
    with file.open("a") as stream:
        stream.write('{"point": [0.001, ')
    append_curve(curve(1), file)
    assert read_curves(file) == [curve(0), curve(1)]


def test_lr_is_near_by_its_ratio() -> None:
    config = {"lr": 4e-3, "p": 0.3, "r": 0, "finish_at": 1}
    assert nearest(config, GRID) == (1e-2, 0.3, 0.0, None)


def test_finish_at_counts_only_where_something_roams() -> None:
    config = {"lr": 1e-3, "p": 0.9, "r": 0.75, "finish_at": 0.5}
    assert nearest(config, GRID) == (1e-3, 0.3, 1.0, 3.0)


def test_a_replay_reports_what_was_recorded_and_goes_on_from_its_state() -> None:
    replay = Replay(curve())
    assert replay.step() == {"epoch": 1.0, "f_score": 0.5, "roaming/completion": 0.0}
    other = Replay(curve())
    other.restore(replay.state())
    assert other.step()["f_score"] == 0.7
    assert other.finished
    assert not replay.finished
