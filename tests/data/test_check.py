from pathlib import Path

import numpy as np

from mrtune.data import nyuv2 as rooms
from mrtune.data.celeba import source
from mrtune.data.check import check
from tests.data.conftest import N


def test_a_sound_set_is_ready(celeba: Path) -> None:
    report = check(source(celeba))
    assert report.ready
    assert list(report.counts) == ["train", "held_out", "val", "test"]
    assert sum(report.counts.values()) == N
    assert report.cache == "none"
    assert not (celeba / ".mrtune-cache").exists()  # it only looks


def test_missing_and_corrupt_images_are_named(celeba: Path) -> None:
    (celeba / "img_align_celeba" / "000003.jpg").unlink()
    (celeba / "img_align_celeba" / "000004.jpg").write_bytes(b"\xff\xd8 no image")
    report = check(source(celeba))
    assert list(report.unreadable) == ["000003.jpg", "000004.jpg"]
    assert report.unreadable["000003.jpg"] == "no such image"
    assert report.ready  # they are few
    strict = check(source(celeba), strict=True)
    assert strict.problems == ["2 samples cannot be read (strict)"]


def test_too_many_missing_images_are_a_problem(celeba: Path) -> None:
    for image in sorted((celeba / "img_align_celeba").iterdir())[10:]:
        image.unlink()
    report = check(source(celeba))
    assert not report.ready
    assert f"20 of {N} samples cannot be read, more than 10%" in report.problems


def test_odd_labels_are_pointed_out(celeba: Path) -> None:
    path = celeba / "list_attr_celeba.txt"
    count, columns, *rows = path.read_text().splitlines()
    rows = [" ".join([name, "1", *values]) for name, _, *values in map(str.split, rows)]
    path.write_text("\n".join([count, columns, *rows]))
    (celeba / "img_align_celeba" / "999999.jpg").write_bytes(b"")
    oddities = check(source(celeba)).oddities
    assert "5_o_Clock_Shadow is 1 in all images" in oddities
    assert "1 images are not listed, the first is 999999.jpg" in oddities


def test_a_malformed_list_is_a_problem(celeba: Path) -> None:
    (celeba / "list_attr_celeba.txt").write_text("1\nYoung\n")
    report = check(source(celeba))
    assert not report.ready
    assert "must name the 40 attributes" in report.problems[0]


def test_a_missing_list_or_folder_is_a_problem(celeba: Path, nyuv2: Path) -> None:
    (celeba / "list_attr_celeba.txt").unlink()
    assert check(source(celeba)).problems == [f"{celeba / 'list_attr_celeba.txt'} is missing"]
    (nyuv2 / "val" / "depth").rename(nyuv2 / "val" / "deep")
    assert check(rooms.source(nyuv2)).problems == [f"{nyuv2 / 'val' / 'depth'} is missing"]


def test_a_split_without_samples_is_a_problem(celeba: Path) -> None:
    path = celeba / "list_eval_partition.txt"
    path.write_text(path.read_text().replace(".jpg 1", ".jpg 2"))
    assert check(source(celeba)).problems == ["val is empty"]


def test_classes_that_never_occur_are_pointed_out(nyuv2: Path) -> None:
    for path in nyuv2.glob("*/label/*.npy"):
        label = np.load(path)
        label[label == 9] = 5
        np.save(path, label)
    for path in nyuv2.glob("*/depth/*.npy"):
        np.save(path, np.zeros((72, 96)))
    oddities = check(rooms.source(nyuv2)).oddities
    assert "class 9 (table) never occurs" in oddities
    assert "depth is unknown everywhere" in oddities
