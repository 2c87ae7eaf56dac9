import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from mrtune.data import FASHION_ATTRIBUTES, FASHION_GROUPS, open_fashion
from mrtune.data.fashion import FILES, OF_CLASSES, SHIPPED
from mrtune.errors import DataError
from tests.data.conftest import N, real

DEBIAN = Path("/usr/share/datasets/fashion-mnist")  # apt-get install dataset-fashion-mnist


def test_the_images_ship_with_their_licence_and_are_small() -> None:
    assert "Zalando" in (SHIPPED / "copyright").read_text()
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 2e6


def test_the_groups_partition_the_attributes() -> None:
    assert len(FASHION_GROUPS) == 8
    assert tuple(name for group in FASHION_GROUPS.values() for name in group) == FASHION_ATTRIBUTES
    assert len(FASHION_ATTRIBUTES) == 26


def test_what_ships_has_the_documented_arrays() -> None:
    opened = open_fashion()
    image, label = opened.arrays["image"], opened.arrays["label"]
    assert (image.shape, image.dtype.name) == ((4000, 28, 28, 1), "uint8")
    assert (label.shape, label.dtype.name) == ((4000, 26), "int8")
    assert set(np.unique(label)) == {0, 1}
    assert not image.flags.writeable
    assert opened.splits["test"].tolist() == list(range(3000, 4000))
    sizes = {split: len(where) for split, where in opened.splits.items()}
    assert sizes == {"train": 2388, "held_out": 312, "val": 300, "test": 1000}
    assert open_fashion().fingerprint == opened.fingerprint


def test_measured_attributes_are_cut_at_the_median_of_train() -> None:
    label = open_fashion().arrays["label"][:3000]
    thresholds = json.loads((SHIPPED / "fashion_attr_meta.json").read_text())["thresholds"]
    measured = set(FASHION_ATTRIBUTES) - set(OF_CLASSES)
    assert measured == set(thresholds)
    for name in measured - {"tall", "wide"}:  # which take few values
        assert label[:, FASHION_ATTRIBUTES.index(name)].mean() == pytest.approx(0.5, abs=0.005), (
            name
        )


def test_attributes_of_a_class_have_its_share() -> None:
    label = open_fashion().arrays["label"]
    for name, classes in OF_CLASSES.items():
        share = label[:, FASHION_ATTRIBUTES.index(name)].mean()
        assert share == pytest.approx(len(classes) / 10), name


def test_the_original_files_are_read(fashion: Path) -> None:
    opened = open_fashion(fashion)
    assert opened.arrays["image"].shape == (N, 28, 28, 1)
    assert isinstance(opened.arrays["image"], np.memmap)
    assert len(opened.splits["test"]) == N // 5
    with gzip.open(fashion / "train-images-idx3-ubyte.gz") as file:
        first = np.frombuffer(file.read()[16 : 16 + 784], np.uint8)
    np.testing.assert_array_equal(opened.arrays["image"][0].ravel(), first)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not gzip", "cannot be read"),
        (gzip.compress(b"short"), "not an IDX file"),
        (
            gzip.compress(b"\0\0\x08\x03" + bytes([0, 0, 0, 9, 0, 0, 0, 28, 0, 0, 0, 28])),
            "cut short",
        ),
        (None, "is missing"),
    ],
    ids=["not gzip", "short", "cut", "absent"],  # gzip stamps the time: a bytes id would differ
)
def test_a_broken_file_is_named(fashion: Path, content: bytes | None, message: str) -> None:
    path = fashion / FILES["test", "images-idx3"]
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=f"{path.name} .*{message}|{path.name} {message}"):
        open_fashion(fashion)


def test_classes_must_fit_the_images(fashion: Path) -> None:
    path = fashion / FILES["train", "labels-idx1"]
    path.write_bytes(gzip.compress(b"\0\0\x08\x01\0\0\0\x02\x01\x02"))
    with pytest.raises(DataError, match="train has 24 images and 2 labels"):
        open_fashion(fashion)


@pytest.mark.slow
def test_what_ships_is_a_part_of_debian_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = DEBIAN if DEBIAN.exists() else real("fashion-mnist")
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path))
    few, many = open_fashion(), open_fashion(folder)
    assert len(many) == 70_000
    where = {image.tobytes(): i for i, image in enumerate(many.arrays["image"])}
    found = np.array([where[image.tobytes()] for image in few.arrays["image"]])
    np.testing.assert_array_equal(many.arrays["label"][found], few.arrays["label"])
    for split, positions in few.splits.items():
        assert np.isin(found[positions], many.splits[split]).all(), split
