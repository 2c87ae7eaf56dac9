import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mrtune.data import CELEBA_ATTRIBUTES, CELEBA_GROUPS, Prepared, open_celeba
from mrtune.errors import DataError
from tests.data.conftest import N, real

# The second line of the official list_attr_celeba.txt.
OFFICIAL = """5_o_Clock_Shadow Arched_Eyebrows Attractive Bags_Under_Eyes Bald Bangs Big_Lips
Big_Nose Black_Hair Blond_Hair Blurry Brown_Hair Bushy_Eyebrows Chubby Double_Chin Eyeglasses Goatee
Gray_Hair Heavy_Makeup High_Cheekbones Male Mouth_Slightly_Open Mustache Narrow_Eyes No_Beard
Oval_Face Pale_Skin Pointy_Nose Receding_Hairline Rosy_Cheeks Sideburns Smiling Straight_Hair
Wavy_Hair Wearing_Earrings Wearing_Hat Wearing_Lipstick Wearing_Necklace Wearing_Necktie Young"""


def pack(folder: Path, inner: str = "img_align_celeba/") -> None:
    """Put the JPEGs of a data set into the zip, as it is released."""
    images = folder / "img_align_celeba"
    with zipfile.ZipFile(folder / "img_align_celeba.zip", "w") as archive:
        for image in sorted(images.iterdir()):
            archive.write(image, f"{inner}{image.name}")
            image.unlink()
    images.rmdir()


def assert_same_samples(one: Prepared, two: Prepared) -> None:
    np.testing.assert_array_equal(one.names, two.names)
    for key in one.arrays:
        np.testing.assert_array_equal(one.arrays[key], two.arrays[key])
    for split in one.splits:
        np.testing.assert_array_equal(one.splits[split], two.splits[split])


def test_the_paper_s_groups_partition_the_official_attributes() -> None:
    assert tuple(OFFICIAL.split()) == CELEBA_ATTRIBUTES
    members = [name for group in CELEBA_GROUPS.values() for name in group]
    assert len(CELEBA_GROUPS) == 8
    assert sorted(members) == sorted(CELEBA_ATTRIBUTES)


def test_samples_are_images_and_labels_of_0_and_1(celeba: Path) -> None:
    opened = open_celeba(celeba)
    assert opened.arrays["image"].shape == (N, 64, 64, 3)
    assert opened.arrays["image"].dtype == np.uint8
    assert opened.arrays["label"].dtype == np.int8
    lines = (celeba / "list_attr_celeba.txt").read_text().splitlines()[2:]
    for line, name, label in zip(lines, opened.names, opened.arrays["label"], strict=True):
        listed, *values = line.split()
        assert name.decode() == listed
        assert label.tolist() == [{"1": 1, "-1": 0}[value] for value in values]
    with Image.open(celeba / "img_align_celeba" / "000003.jpg") as image:
        expected = np.asarray(image.resize((64, 64), Image.Resampling.BILINEAR))
    np.testing.assert_array_equal(opened.arrays["image"][2], expected)


def test_the_size_can_be_chosen(celeba: Path) -> None:
    assert open_celeba(celeba, size=32).arrays["image"].shape == (N, 32, 32, 3)


@pytest.mark.parametrize("inner", ["img_align_celeba/", "", "celeba/img_align_celeba/"])
def test_the_zip_holds_the_same_as_the_folder(celeba: Path, inner: str) -> None:
    unpacked = open_celeba(celeba)
    pack(celeba, inner)
    assert_same_samples(unpacked, open_celeba(celeba))


def test_a_nested_or_an_empty_folder_is_no_trouble(celeba: Path, tmp_path: Path) -> None:
    plain = open_celeba(celeba)
    images = celeba / "img_align_celeba"
    images.rename(tmp_path / "inner")
    images.mkdir()
    (tmp_path / "inner").rename(images / "img_align_celeba")
    assert_same_samples(plain, open_celeba(celeba))
    (images / "img_align_celeba").rename(tmp_path / "outer")
    images.rmdir()
    (tmp_path / "outer").rename(images)
    pack(celeba)
    images.mkdir()  # empty, beside the zip
    assert_same_samples(plain, open_celeba(celeba))


def test_splits_are_the_official_ones_with_a_part_of_train_held_out(celeba: Path) -> None:
    opened = open_celeba(celeba)
    lines = (celeba / "list_eval_partition.txt").read_text().splitlines()
    official = np.array([int(line.split()[1]) for line in lines])
    assert list(opened.splits) == ["train", "held_out", "val", "test"]
    together = np.union1d(opened.splits["train"], opened.splits["held_out"])
    for code, where in enumerate((together, opened.splits["val"], opened.splits["test"])):
        np.testing.assert_array_equal(where, np.flatnonzero(official == code))
    assert sum(map(len, opened.splits.values())) == N


def test_columns_in_another_order_mean_the_same(celeba: Path) -> None:
    expected = open_celeba(celeba)
    path = celeba / "list_attr_celeba.txt"
    count, columns, *rows = path.read_text().splitlines()
    turned = [f"{name} {' '.join(values[::-1])}" for name, *values in map(str.split, rows)]
    path.write_text("\n".join([count, " ".join(columns.split()[::-1]), *turned]) + "\n")
    assert_same_samples(expected, open_celeba(celeba))


def test_a_corrupt_image_is_skipped_and_named(celeba: Path) -> None:
    whole = open_celeba(celeba)
    broken = celeba / "img_align_celeba" / "000002.jpg"
    broken.write_bytes(broken.read_bytes()[:900])
    opened = open_celeba(celeba)
    assert opened.skipped == ("000002.jpg",)
    assert len(opened) == N - 1
    kept = np.arange(N) != 1
    np.testing.assert_array_equal(opened.arrays["image"], whole.arrays["image"][kept])
    np.testing.assert_array_equal(opened.arrays["label"], whole.arrays["label"][kept])
    assert open_celeba(celeba).skipped == ("000002.jpg",)  # from the cache as well


@pytest.mark.parametrize("cached", [False, True])
def test_strict_refuses_a_corrupt_image_by_name(celeba: Path, cached: bool) -> None:
    (celeba / "img_align_celeba" / "000002.jpg").write_bytes(b"not an image")
    if cached:
        open_celeba(celeba)
    with pytest.raises(DataError, match=r"000002\.jpg cannot be read: .*strict"):
        open_celeba(celeba, strict=True)


def test_a_corrupt_entry_of_the_zip_is_skipped(celeba: Path) -> None:
    pack(celeba)
    archive = celeba / "img_align_celeba.zip"
    content = bytearray(archive.read_bytes())
    content[300:340] = bytes(40)  # inside the first entry
    archive.write_bytes(content)
    assert open_celeba(celeba).skipped == ("000001.jpg",)


def test_a_missing_image_is_skipped_and_named(celeba: Path) -> None:
    (celeba / "img_align_celeba" / "000005.jpg").unlink()
    assert open_celeba(celeba).skipped == ("000005.jpg",)


def test_a_set_that_is_mostly_missing_is_refused(celeba: Path) -> None:
    for image in sorted((celeba / "img_align_celeba").iterdir())[5:]:
        image.unlink()
    with pytest.raises(DataError, match=r"more than 10% of the 30 samples cannot be read"):
        open_celeba(celeba)
    assert not list((celeba / ".mrtune-cache").glob("celeba-*"))


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("list_attr_celeba.txt", " -1 ", " 0 ", r"list_attr_celeba.txt:3: 000001.jpg must have 40"),
        ("list_attr_celeba.txt", " -1 ", " ", r"list_attr_celeba.txt:3: 000001.jpg must have 40"),
        ("list_attr_celeba.txt", "Young", "Old", r"list_attr_celeba.txt:2: .*Old, Young"),
        (
            "list_eval_partition.txt",
            ".jpg 0",
            ".jpg 3",
            r"partition.txt:1: must be a name and 0, 1",
        ),
        ("list_eval_partition.txt", "000001.jpg 0\n", "", r"lacks 1 images, the first is 000001"),
    ],
)
def test_a_malformed_list_is_refused_by_line(
    celeba: Path, file: str, old: str, new: str, message: str
) -> None:
    path = celeba / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=message):
        open_celeba(celeba)


def test_what_is_missing_is_named(celeba: Path, tmp_path: Path) -> None:
    (celeba / "list_eval_partition.txt").unlink()
    with pytest.raises(DataError, match=r"list_eval_partition\.txt is missing"):
        open_celeba(celeba)
    (celeba / "list_eval_partition.txt").touch()
    pack(celeba)
    (celeba / "img_align_celeba.zip").write_bytes(b"PK no more")
    with pytest.raises(DataError, match=r"img_align_celeba\.zip is not a whole zip"):
        open_celeba(celeba)
    with pytest.raises(DataError, match=r"celeba not found: looked for .* in .*nowhere"):
        open_celeba(tmp_path / "nowhere")


def test_the_data_set_is_found_on_the_search_path(
    celeba: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MRTUNE_DATA", f"{tmp_path / 'nowhere'}:{tmp_path}")
    assert open_celeba().path.parent.parent == celeba
    monkeypatch.setenv("MRTUNE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match=r"nowhere/celeba; `mrtune data` shows how to lay it out"):
        open_celeba()


@pytest.mark.slow
def test_the_real_images(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = real("celeba/img_align_celeba.zip").parent
    monkeypatch.setenv("MRTUNE_CACHE", str(tmp_path))
    opened = open_celeba(folder)
    counts = {split: len(where) for split, where in opened.splits.items()}
    if len(opened) != 10_000:
        pytest.skip("this is not the sample of 10,000")
    assert counts["train"] + counts["held_out"] == 8014
    assert counts["held_out"] / 8014 == pytest.approx(0.1, abs=0.01)
    assert (counts["val"], counts["test"]) == (1030, 956)
    male = opened.arrays["label"][:, CELEBA_ATTRIBUTES.index("Male")]
    assert male.mean() == pytest.approx(1 - 0.584, abs=0.02)
    assert opened.skipped == ()
