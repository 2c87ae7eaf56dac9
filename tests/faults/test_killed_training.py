"""A training that is killed goes on as if nothing had happened."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from mrtune.places.folder import Folder
from mrtune.training import checkpoint

TOY = Path(__file__).parent.parent / "training" / "toy.py"
TIMING = ("seconds", "images_per_s", "peak_memory_mb")
CONFIG = ("-S", "epochs=12", "-S", "report_every=0.3", "-S", "p=0.4", "-S", "delta=0.3")

pytestmark = pytest.mark.slow


def train(out: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "mrtune", "train", str(TOY), *CONFIG, "--out", str(out)]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}  # on a toy, a second one only waits
    return subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, env=one_thread)


def result(out: Path) -> tuple[dict, list[dict]]:
    state, torn = checkpoint.load_newest(Folder(out / "seed-0" / "checkpoints"))
    assert state is not None
    assert torn == []
    lines = (out / "seed-0" / "reports.jsonl").read_text().splitlines()
    reports = [json.loads(line) for line in lines]
    return state["trainer"], [{k: v for k, v in r.items() if k not in TIMING} for r in reports]


def assert_equal(one: object, other: object) -> None:
    """Bit for bit, through dictionaries and lists, timings aside."""
    if isinstance(one, torch.Tensor):
        assert isinstance(other, torch.Tensor)
        assert torch.equal(one, other)
    elif isinstance(one, dict):
        assert isinstance(other, dict)
        assert one.keys() == other.keys()
        for key in one.keys() - set(TIMING):
            assert_equal(one[key], other[key])
    elif isinstance(one, list | tuple):
        for left, right in zip(one, other, strict=True):  # type: ignore[call-overload]
            assert_equal(left, right)
    else:
        assert one == other


def test_kill_9_at_arbitrary_points_and_resume_changes_nothing(tmp_path: Path) -> None:
    """Weights, partitions, optimiser, generators and reports equal the undisturbed run's."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert train(whole).wait(timeout=300) == 0
    chance = random.Random(0)
    kills = 0
    process = train(killed)
    while kills < 3:
        count = len(list(killed.glob("seed-0/checkpoints/*.ckpt")))
        newest = max(killed.glob("seed-0/checkpoints/*.ckpt"), default=None)
        deadline = time.monotonic() + 120
        while max(killed.glob("seed-0/checkpoints/*.ckpt"), default=None) == newest:
            assert time.monotonic() < deadline, f"no progress after {count} checkpoints"
            assert process.poll() is None, "it finished before it could be killed"
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.1))  # in the middle of a batch, an evaluation or a write
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
        kills += 1
        process = train(killed, "--resume")
    assert process.wait(timeout=300) == 0
    expected, actual = result(whole), result(killed)
    assert_equal(expected[0], actual[0])
    assert expected[1] == actual[1]
    assert actual[1][-1]["epoch"] == 12


def test_ctrl_c_exits_with_130_and_can_be_resumed(tmp_path: Path) -> None:
    long = ("-S", "epochs=60")  # enough for the signal to come before the end
    process = train(tmp_path / "run", *long)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("run/seed-0/checkpoints/*.ckpt")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert train(tmp_path / "run", *long, "--resume").wait(timeout=300) == 0
