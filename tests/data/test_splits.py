import numpy as np
import pytest

from mrtune.data.splits import carve, place, positions

PLACES = {"000001.jpg": 0.18947744339953587, "train/0": 0.5244706592545185}


def test_a_sample_has_the_same_place_on_every_machine() -> None:
    assert {name: place(name) for name in PLACES} == PLACES
    assert place(b"train/0") == place("train/0")


@pytest.mark.parametrize("shares", [{"held_out": 0.1}, {"held_out": 0.1, "val": 0.1}])
def test_parts_get_about_their_shares(shares: dict[str, float]) -> None:
    parts = carve([f"{i:06d}.jpg" for i in range(20_000)], shares)
    for part, share in shares.items():
        assert parts.count(part) / len(parts) == pytest.approx(share, abs=0.01)
    assert set(parts) == {"train", *shares}


def test_neither_order_nor_other_samples_move_a_sample() -> None:
    names = [f"{i}.jpg" for i in range(500)]
    whole = dict(zip(names, carve(names), strict=True))
    some = names[::-3]
    assert carve(some) == [whole[name] for name in some]


@pytest.mark.parametrize("n", [2, 3, 5, 10])
def test_a_tiny_set_still_holds_something_out(n: int) -> None:
    for start in range(50):
        parts = carve([f"train/{start + i}" for i in range(n)])
        assert "held_out" in parts
        assert "train" in parts or n == 2


def test_positions_partition_the_samples() -> None:
    found = positions(["val", "train", "held_out", "train"])
    assert {split: where.tolist() for split, where in found.items()} == {
        "train": [1, 3],
        "held_out": [2],
        "val": [0],
    }
    assert np.sort(np.concatenate(list(found.values()))).tolist() == [0, 1, 2, 3]
