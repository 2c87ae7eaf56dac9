from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mrtune.data import CELEBA_ATTRIBUTES
from mrtune.data.check import check
from mrtune.data.generate import GENERATORS, generate
from mrtune.data.generate.faces import draw_face
from mrtune.data.generate.rooms import CEILING, FLOOR, draw_room
from mrtune.data.generate.scene import View
from mrtune.data.generate.streets import FLAT, draw_street
from mrtune.data.generate.traits import HAIR_COLOURS, draw_traits
from mrtune.data.sets import SETS
from mrtune.errors import DataError, ParameterError
from tests.data.conftest import N

INVISIBLE = {"Attractive", "No_Beard"}  # they follow from others


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".mrtune-cache" not in path.parts
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATORS)
def test_the_same_seed_draws_the_same_files(
    drawn: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    first = files(drawn(name))
    generate(name, tmp_path / "again", n=N if name in ("celeba", "fashion") else 10, seed=7)
    assert files(tmp_path / "again") == first
    generate(name, tmp_path / "other", n=10, seed=8)
    other = files(tmp_path / "other")
    images = [key for key in other if "image" in key or key.endswith(".jpg")]
    assert images
    assert all(other[key] != first[key] for key in images if key in first)


@pytest.mark.parametrize("name", GENERATORS)
def test_what_is_drawn_is_ready(drawn: Callable[[str], Path], name: str) -> None:
    report = check(SETS[name].source(drawn(name)))
    assert report.ready, report
    assert not report.unreadable
    assert not any("unknown everywhere" in oddity for oddity in report.oddities)


def test_there_is_a_generator_for_every_set() -> None:
    assert set(GENERATORS) == set(SETS)


@pytest.mark.parametrize("attribute", sorted(set(CELEBA_ATTRIBUTES) - INVISIBLE))
def test_an_attribute_shows(attribute: str) -> None:
    base = dict.fromkeys(CELEBA_ATTRIBUTES, False) | {"Brown_Hair": True, "Young": True}
    changed = base | {attribute: not base[attribute]}
    if attribute in HAIR_COLOURS and attribute != "Brown_Hair":
        changed["Brown_Hair"] = False

    def draw(traits: dict[str, bool]) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        image = draw_face(traits, np.random.default_rng(0)).resize((64, 64))
        return np.asarray(image).astype(float)

    assert abs(draw(base) - draw(changed)).max() > 20  # at the size that networks see


def test_attributes_go_together_as_they_should() -> None:
    people = [draw_traits(np.random.default_rng(seed)) for seed in range(2000)]
    for person in people:
        beard = any(
            person[name] for name in ("5_o_Clock_Shadow", "Goatee", "Mustache", "Sideburns")
        )
        assert person["No_Beard"] != beard
        assert sum(person[name] for name in HAIR_COLOURS) == (not person["Bald"])
    for name in CELEBA_ATTRIBUTES:
        assert 0.005 < np.mean([person[name] for person in people]) < 0.95, name


def points(view: View, focal: float) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    height, width = view.depth.shape
    u = (np.arange(width) + 0.5 - width / 2) / (focal * width)
    v = (np.arange(height) + 0.5 - height / 2) / (focal * width)
    x, y = np.meshgrid(u, v)
    return np.stack([x, y, np.ones_like(x)], axis=-1) * view.depth[..., None]


@pytest.mark.parametrize("seed", range(2))
def test_depth_and_normals_of_a_room_agree(seed: int) -> None:
    view = draw_room(np.random.default_rng(seed), 144, 192)
    place = points(view, 0.85)
    derived = np.cross(np.diff(place, axis=0)[:, :-1], np.diff(place, axis=1)[:-1])
    derived /= np.linalg.norm(derived, axis=-1, keepdims=True)
    agreement = (derived * view.normal[:-1, :-1]).sum(axis=-1)
    assert np.mean(agreement > 0.99) > 0.85  # all but edges
    assert (view.normal * place).sum(axis=-1).max() < 0  # every surface faces the camera
    assert view.depth.min() > 0


@pytest.mark.parametrize("seed", range(2))
def test_classes_of_scenes_are_where_they_belong(seed: int) -> None:
    room = draw_room(np.random.default_rng(seed), 144, 192)
    assert room.normal[room.label == FLOOR][:, 1].mean() < -0.8
    assert len(np.unique(room.label)) >= 8
    street = draw_street(np.random.default_rng(seed), 64, 128)
    assert (street.label == FLAT)[-1].mean() > 0.5
    np.testing.assert_array_equal(street.label == -1, street.depth == 0)
    assert CEILING not in room.label[-1]


@pytest.mark.parametrize(
    ("n", "seed", "error", "message"),
    [
        (9, 0, ParameterError, "n must be at least 10, got 9"),
        (10, -1, ParameterError, "seed must be 0 or more, got -1"),
    ],
)
def test_bad_parameters_are_refused(
    tmp_path: Path, n: int, seed: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        generate("celeba", tmp_path / "to", n, seed)
    assert not (tmp_path / "to").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    for to in (tmp_path, tmp_path / "precious"):
        with pytest.raises(DataError, match="is not empty: nothing is overwritten"):
            generate("fashion", to, n=10)
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]
    (tmp_path / "empty").mkdir()
    generate("fashion", tmp_path / "empty", n=10)


def test_an_interrupted_drawing_leaves_nothing(tmp_path: Path) -> None:
    def stumble(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate("celeba", tmp_path / "to", n=10, progress=stumble)
    assert list(tmp_path.iterdir()) == []
