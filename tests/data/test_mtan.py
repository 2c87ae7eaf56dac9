from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mrtune.data import (
    CITYSCAPES_CLASSES,
    NYUV2_CLASSES,
    Prepared,
    open_cityscapes,
    open_nyuv2,
)
from mrtune.data.prepared import Array
from mrtune.errors import DataError
from tests.data.conftest import real


def rewrite(folder: Path, kind: str, change: Callable[[Array], Array]) -> None:
    for path in folder.glob(f"*/{kind}/*.npy"):
        np.save(path, change(np.load(path)))


def assert_same(one: Prepared, two: Prepared) -> None:
    for key in one.arrays:
        np.testing.assert_array_equal(one.arrays[key], two.arrays[key])


def test_streets_have_the_documented_arrays(cityscapes: Path) -> None:
    opened = open_cityscapes(cityscapes)
    assert {key: (a.shape, a.dtype.name) for key, a in opened.arrays.items()} == {
        "image": ((10, 128, 256, 3), "uint8"),
        "label": ((10, 128, 256), "int8"),
        "depth": ((10, 128, 256), "float32"),
    }
    assert (opened.arrays["label"].min(), opened.arrays["label"].max()) == (-1, 6)
    assert len(CITYSCAPES_CLASSES) == 7


def test_rooms_have_normals_as_well(nyuv2: Path) -> None:
    opened = open_nyuv2(nyuv2)
    assert {key: (a.shape, a.dtype.name) for key, a in opened.arrays.items()} == {
        "image": ((10, 72, 96, 3), "uint8"),
        "label": ((10, 72, 96), "int8"),
        "depth": ((10, 72, 96), "float32"),
        "normal": ((10, 72, 96, 3), "float16"),
    }
    assert len(NYUV2_CLASSES) == 13
    length = np.linalg.norm(opened.arrays["normal"].astype(np.float32), axis=-1)
    assert np.all((length == 0) | (abs(length - 1) < 0.01))


def test_values_are_those_of_the_files(nyuv2: Path) -> None:
    opened = open_nyuv2(nyuv2)
    assert opened.names[3] == b"train/3"
    image, label, depth, normal = (
        np.load(nyuv2 / "train" / kind / "3.npy") for kind in ("image", "label", "depth", "normal")
    )
    np.testing.assert_allclose(opened.arrays["image"][3] / 255, image, atol=0.5 / 255 + 1e-6)
    np.testing.assert_array_equal(opened.arrays["label"][3], label)
    np.testing.assert_array_equal(opened.arrays["depth"][3], depth[..., 0])
    np.testing.assert_allclose(opened.arrays["normal"][3], normal, atol=5e-4)


def test_scenes_are_in_the_order_of_their_numbers(cityscapes: Path) -> None:
    for kind in ("image", "label_7", "depth"):
        (cityscapes / "train" / kind / "2.npy").rename(cityscapes / "train" / kind / "10.npy")
    names = open_cityscapes(cityscapes).names.tolist()
    assert names == [
        *(f"train/{number}".encode() for number in (0, 1, 3, 4, 5, 6, 7, 10)),
        *(b"val/0", b"val/1"),
    ]


def test_train_has_a_part_held_out_and_val_is_val(cityscapes: Path) -> None:
    opened = open_cityscapes(cityscapes)
    assert list(opened.splits) == ["train", "held_out", "val"]
    assert opened.splits["val"].tolist() == [8, 9]
    assert sorted([*opened.splits["train"], *opened.splits["held_out"]]) == list(range(8))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("image", lambda a: np.moveaxis(a, -1, 0)),
        ("image", lambda a: np.rint(a * 255).astype(np.uint8)),
        ("normal", lambda a: np.moveaxis(a, -1, 0)),
        ("depth", lambda a: a[..., 0]),
        ("depth", lambda a: np.moveaxis(a, -1, 0)),
        ("depth", lambda a: np.where(a == 0, np.nan, a)),
        ("label", lambda a: a.astype(np.int64)),
        ("label", lambda a: np.where(a < 0, 255, a)),
        ("label", lambda a: a[..., None]),
    ],
)
def test_variants_of_the_layout_mean_the_same(
    nyuv2: Path, kind: str, change: Callable[[Array], Array]
) -> None:
    expected = open_nyuv2(nyuv2)
    rewrite(nyuv2, kind, change)
    assert_same(expected, open_nyuv2(nyuv2))


def test_seven_classes_are_taken_from_label_or_label_7(cityscapes: Path) -> None:
    expected = open_cityscapes(cityscapes)
    for split in ("train", "val"):
        (cityscapes / split / "label_7").rename(cityscapes / split / "label")
    assert_same(expected, open_cityscapes(cityscapes))
    for split in ("train", "val"):
        (cityscapes / split / "label").rename(cityscapes / split / "label_7")
        (cityscapes / split / "label").mkdir()  # of 19 classes, in MTAN's files
    assert_same(expected, open_cityscapes(cityscapes))


@pytest.mark.parametrize(
    ("kind", "broken", "why"),
    [
        ("image", np.full((72, 96, 3), 255.0), "image: values from 255 to 255 are not in 0..1"),
        ("image", np.full((72, 96, 3), np.nan), "image: values from nan to nan are not in 0..1"),
        ("image", np.zeros((100, 100, 3)), r"image: \(100, 100, 3\) is not \(72, 96, 3\)"),
        ("image", np.zeros((72, 96)), r"image: shape \(72, 96\) is not height × width × 3"),
        ("label", np.full((72, 96), 13.0), r"label: class 13 is not in -1\.\.12"),
        ("label", np.full((72, 96), -2.0), r"label: class -2 is not in -1\.\.12"),
        ("depth", np.zeros((72, 96, 2)), r"depth: shape .* is not height × width"),
        ("normal", np.full((72, 96, 3), 9.0), r"normal: 9 is not in -1\.\.1"),
        ("normal", b"\x93NUMPY", "normal/4.npy"),
        ("depth", None, "no depth/4.npy"),
    ],
)
def test_an_unusable_scene_is_skipped_or_refused_by_name(
    nyuv2: Path, kind: str, broken: Array | bytes | None, why: str
) -> None:
    path = nyuv2 / "train" / kind / "4.npy"
    path.unlink()
    if isinstance(broken, bytes):
        path.write_bytes(broken)
    elif broken is not None:
        np.save(path, broken)
    assert open_nyuv2(nyuv2).skipped == ("train/4",)
    with pytest.raises(DataError, match=f"train/4 cannot be read: .*{why}"):
        open_nyuv2(nyuv2, strict=True)


def test_labels_of_other_classes_are_refused(cityscapes: Path) -> None:
    rewrite(cityscapes, "label_7", lambda a: a + 12)  # as if of 19 classes
    with pytest.raises(DataError, match=r"first is train/0: label: class 18 is not in -1\.\.6"):
        open_cityscapes(cityscapes)


def test_a_missing_folder_is_named(nyuv2: Path) -> None:
    (nyuv2 / "val" / "normal").rename(nyuv2 / "val" / "normals")
    with pytest.raises(DataError, match=r"val/normal is missing"):
        open_nyuv2(nyuv2)


@pytest.mark.slow
def test_the_real_rooms(tmp_path: Path) -> None:
    sample = np.load(real("nyuv2/nyuv2_sample.npz"))
    stored = {key: sample[key][:4] for key in sample.files}
    scale = {"image": 255.0, "normal": 127.0}
    for key, arrays in stored.items():
        split, kind = key.split("_")
        (tmp_path / split / kind).mkdir(parents=True)
        for number, array in enumerate(arrays):
            values = array.astype(np.float32) / scale.get(kind, 1)
            np.save(tmp_path / split / kind / f"{number}.npy", values)
    opened = open_nyuv2(tmp_path)
    assert opened.skipped == ()
    for kind in ("image", "label", "depth"):
        expected = np.concatenate([stored[f"train_{kind}"], stored[f"val_{kind}"]])
        np.testing.assert_array_equal(
            opened.arrays[kind], expected.reshape(opened.arrays[kind].shape)
        )
    floor = opened.arrays["label"] == NYUV2_CLASSES.index("floor")
    assert opened.arrays["normal"][floor][:, 1].mean() < -0.5  # y points down
