import errno
import os
from pathlib import Path

import pytest
import torch

from mrtune.errors import StorageFailed
from mrtune.places.folder import Folder
from mrtune.training import checkpoint


def state(number: int) -> dict:
    return {"number": number, "weights": torch.arange(1000.0) + number}


def test_the_newest_comes_back_whole(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        checkpoint.save(Folder(tmp_path), state(number))
    loaded, torn = checkpoint.load_newest(Folder(tmp_path))
    assert loaded is not None
    assert loaded["number"] == 10
    assert torch.equal(loaded["weights"], state(10)["weights"])
    assert torn == []


def test_two_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        checkpoint.save(Folder(tmp_path), state(number))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_torn_checkpoint_is_passed_over(tmp_path: Path, damage: str) -> None:
    checkpoint.save(Folder(tmp_path), state(1))
    newest = tmp_path / checkpoint.save(Folder(tmp_path), state(2))
    data = bytearray(newest.read_bytes())
    data[len(data) // 2] ^= 1
    newest.write_bytes({"cut": data[: len(data) // 2], "flip": data, "empty": b""}[damage])
    loaded, torn = checkpoint.load_newest(Folder(tmp_path))
    assert loaded is not None
    assert loaded["number"] == 1
    assert torn == [newest.name]


def test_nothing_to_load_is_no_crash(tmp_path: Path) -> None:
    assert checkpoint.load_newest(Folder(tmp_path / "missing")) == (None, [])
    (tmp_path / "1.ckpt").write_bytes(b"rubbish")
    assert checkpoint.load_newest(Folder(tmp_path))[0] is None


def test_a_write_that_fails_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint.save(Folder(tmp_path), state(1))

    for number, message in (
        (errno.ENOSPC, f"the disk of {tmp_path} is full"),
        (errno.ESTALE, f"{tmp_path} fails: Stale file handle"),
    ):

        def broken_disk(_: int, number: int = number) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr("os.fsync", broken_disk)
        with pytest.raises(StorageFailed, match=message):
            checkpoint.save(Folder(tmp_path), state(2))
    assert [path.name for path in tmp_path.iterdir()] == ["000000000001.ckpt"]
    loaded, _ = checkpoint.load_newest(Folder(tmp_path))
    assert loaded is not None
    assert loaded["number"] == 1
