from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mrtune.data import CITYSCAPES_CLASSES, open_cityscapes
from mrtune.data.convert import CATEGORY_IDS, convert_cityscapes, to_categories
from mrtune.errors import DataError

# Of the official table of labels: id, category, whether the evaluation ignores it.
OFFICIAL = {
    **dict.fromkeys(range(7), ("void", True)),
    7: ("flat", False),
    8: ("flat", False),
    9: ("flat", True),
    10: ("flat", True),
    **{number: ("construction", number > 13) for number in range(11, 17)},
    **{number: ("object", number == 18) for number in range(17, 21)},
    21: ("nature", False),
    22: ("nature", False),
    23: ("sky", False),
    24: ("human", False),
    25: ("human", False),
    **{number: ("vehicle", number in (29, 30)) for number in range(26, 34)},
}


@pytest.fixture(params=["", "{}_trainvaltest"])
def raw(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Tiny raw folders: two scenes for training, one for validation, of 64×128 pixels."""
    rng = np.random.default_rng(0)
    for split, scene in (
        ("train", "aachen/aachen_000000_000019"),
        ("train", "zurich/zurich_000001_000019"),
        ("val", "munster/munster_000000_000019"),
    ):
        for folder, end, array in (
            ("leftImg8bit", "leftImg8bit", rng.integers(0, 256, (512, 1024, 3), np.uint8)),
            ("gtFine", "gtFine_labelIds", rng.integers(0, 34, (512, 1024), np.uint8)),
            ("disparity", "disparity", rng.integers(0, 32258, (512, 1024)).astype(np.uint16)),
        ):
            place = tmp_path / "raw" / request.param.format(folder) / folder / split
            path = place / f"{scene}_{end}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(array).save(path)
    return tmp_path / "raw"


def test_ids_become_the_official_categories() -> None:
    assert tuple(CATEGORY_IDS) == CITYSCAPES_CLASSES
    assert sum(map(len, CATEGORY_IDS.values())) == 19
    for number, (category, ignored) in OFFICIAL.items():
        expected = -1 if ignored else CITYSCAPES_CLASSES.index(category)
        assert to_categories(np.array([number], np.uint8)).tolist() == [expected], number


def test_raw_folders_become_what_is_opened(raw: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    to = tmp_path / "to"
    counts = convert_cityscapes(raw, to, lambda *call: calls.append(call))
    assert counts == {"train": 2, "val": 1}
    assert calls == [(1, 3), (2, 3), (3, 3)]
    assert (to / "train" / "names.txt").read_text().split() == [
        "aachen/aachen_000000_000019",
        "zurich/zurich_000001_000019",
    ]
    opened = open_cityscapes(to)
    assert opened.arrays["image"].shape == (3, 128, 256, 3)
    (disparity,) = raw.rglob("zurich*disparity.png")
    (labels,) = raw.rglob("zurich*labelIds.png")
    nearest = np.s_[2::4, 2::4]  # a quarter of the size: the pixel beside the middle of each block
    measured = np.asarray(Image.open(disparity))[nearest] / 65535
    np.testing.assert_allclose(opened.arrays["depth"][1], measured, atol=1e-7)
    np.testing.assert_array_equal(
        opened.arrays["label"][1], to_categories(np.asarray(Image.open(labels))[nearest])
    )
    assert opened.arrays["depth"].max() <= 0.4923  # as MTAN's files


def test_a_missing_or_broken_file_is_named_and_nothing_is_left(raw: Path, tmp_path: Path) -> None:
    (disparity,) = raw.rglob("zurich*disparity.png")
    whole = disparity.read_bytes()
    disparity.unlink()
    with pytest.raises(DataError, match=r"zurich_000001_000019_disparity\.png is missing"):
        convert_cityscapes(raw, tmp_path / "to")
    disparity.write_bytes(whole[:1000])
    with pytest.raises(DataError, match=r"zurich_000001_000019_disparity\.png cannot be read"):
        convert_cityscapes(raw, tmp_path / "to")
    assert [path.name for path in tmp_path.iterdir()] == ["raw"]


def test_a_folder_that_is_not_cityscapes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"leftImg8bit is missing: raw Cityscapes has leftImg8bit,"):
        convert_cityscapes(tmp_path, tmp_path / "to")
    for folder in ("leftImg8bit", "gtFine", "disparity"):
        (tmp_path / folder).mkdir()
    with pytest.raises(DataError, match=r"leftImg8bit/train holds no"):
        convert_cityscapes(tmp_path, tmp_path / "to")
