"""Silhouettes of garments, in the four files of Fashion-MNIST."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from mrtune.data.fashion import FILES, IDX_BYTES, SIDE
from mrtune.data.prepared import Array
from mrtune.data.source import Progress

SCALE = 4
TEST_SHARE = 0.2

# Corners in a square of side 28; what has several parts is drawn part by part.
Part = Sequence[tuple[float, float]]
TORSO = [(8, 3), (20, 3), (20, 26), (8, 26)]
SHORT = [[(8, 3), (3, 9), (6, 12), (9, 8)], [(20, 3), (25, 9), (22, 12), (19, 8)]]
LONG = [[(8, 3), (2, 22), (6, 24), (9, 10)], [(20, 3), (26, 22), (22, 24), (19, 10)]]
SOLE = [(2, 20), (26, 19), (26, 22), (2, 22)]
SHAPES: tuple[Sequence[Part], ...] = (
    [TORSO, *SHORT],
    [[(8, 2), (20, 2), (21, 26), (16, 26), (14, 9), (12, 26), (7, 26)]],
    [TORSO, *LONG],
    [[(11, 2), (17, 2), (16, 10), (20, 26), (8, 26), (12, 10)]],
    [[(7, 2), (21, 2), (21, 27), (7, 27)], *LONG],
    [SOLE, [(6, 19), (10, 12), (12, 12), (9, 19)], [(18, 19), (15, 13), (17, 13), (21, 19)]],
    [TORSO, *LONG],
    [SOLE, [(2, 20), (3, 13), (10, 14), (18, 17), (26, 19)]],
    [
        [(3, 11), (25, 11), (26, 25), (2, 25)],
        [(9, 11), (10, 5), (18, 5), (19, 11), (17, 11), (16, 7), (12, 7), (11, 11)],
    ],
    [SOLE, [(3, 20), (4, 3), (13, 3), (14, 13), (26, 18), (26, 20)]],
)
OPEN_FRONT = (4, 6)  # coat and shirt show a line down the front


def write_fashion(folder: Path, n: int, seed: int, progress: Progress) -> None:
    """Write `n` garments, a fifth of them for testing."""
    test = round(TEST_SHARE * n)
    for split, start, stop in (("train", 0, n - test), ("test", n - test, n)):
        images, classes = [], []
        for index in range(start, stop):
            rng = np.random.default_rng((seed, index))
            classes.append(int(rng.integers(len(SHAPES))))
            images.append(draw_garment(classes[-1], rng))
            progress(index + 1, n)
        _write(folder / FILES[split, "images-idx3"], np.stack(images))
        _write(folder / FILES[split, "labels-idx1"], np.array(classes, np.uint8))


def draw_garment(kind: int, rng: np.random.Generator) -> Array:
    """Draw a garment of a class, uint8 [28, 28]."""
    image = Image.new("L", (SIDE * SCALE, SIDE * SCALE))
    pen, grey = ImageDraw.Draw(image), int(rng.integers(90, 240))
    stretch = rng.uniform((0.85, 0.9), (1.08, 1.25))
    for part in SHAPES[kind]:
        points = (np.array(part) - SIDE / 2) * stretch + SIDE / 2 + rng.normal(0, 0.25, 2)
        pen.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=grey)
    cloth = np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX)).astype(float)
    rows, columns = np.mgrid[:SIDE, :SIDE]
    stripes = (np.zeros_like(rows), rows, columns)[rng.integers(3)]
    cloth *= 1 - 0.35 * (stripes % 4 > 1)
    if kind in OPEN_FRONT:
        cloth[:, SIDE // 2] *= 0.3
    cloth += (cloth > 0) * rng.normal(0, 6, cloth.shape)
    return cloth.clip(0, 255).astype(np.uint8)


def _write(path: Path, array: Array) -> None:
    header = np.array([IDX_BYTES + array.ndim - 1, *array.shape], ">u4").tobytes()
    path.write_bytes(gzip.compress(header + array.tobytes(), mtime=0))
