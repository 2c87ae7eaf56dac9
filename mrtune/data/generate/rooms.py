"""Rooms with classes, depths and normals that agree, in MTAN's layout of NYUv2."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from mrtune.data.generate.chance import chance
from mrtune.data.generate.scene import Camera, Thing, Vector, View, look, numbered, write_scene
from mrtune.data.nyuv2 import NYUV2_CLASSES
from mrtune.data.source import Progress

(
    BED,
    BOOKS,
    CEILING,
    CHAIR,
    FLOOR,
    FURNITURE,
    OBJECTS,
    PICTURE,
    SOFA,
    TABLE,
    TV,
    WALL,
    WINDOW,
) = range(len(NYUV2_CLASSES))
RARE = 0.01  # the share of pixels that nobody knows
EYE = 1.35  # metres of the camera above the floor
THIN = 0.04


def write_nyuv2(folder: Path, n: int, seed: int, progress: Progress) -> None:
    """Write `n` rooms of 288×384 pixels."""
    for place, number, rng in numbered(folder, n, seed, progress):
        view = draw_room(rng, 288, 384)
        rare = rng.random(view.label.shape) < RARE
        lost = rng.random(view.label.shape) < RARE
        write_scene(
            place,
            number,
            {
                "image": view.image,
                "label": np.where(rare, -1, view.label),
                "depth": np.where(lost, 0, view.depth)[..., None],
                "normal": np.where(lost[..., None], 0, view.normal),
            },
        )


def draw_room(rng: np.random.Generator, height: int, width: int) -> View:
    """Draw a room that holds most of the 13 classes."""
    half, back, top = rng.uniform(1.9, 2.8), rng.uniform(3.6, 5.5), EYE - rng.uniform(2.4, 2.9)
    things = _shell(rng, half, back, top)
    things += _on_wall(rng, half, back)
    left, right = (_sofa, _bed) if chance(rng, 0.5) else (_bed, _sofa)
    things += left(rng, -half + 0.05, back - rng.uniform(0.3, 1.0))
    if chance(rng, 0.5):
        things += right(rng, half - 2.05, back - 0.1)
    else:
        things += _shelf(rng, half, back)
    things += _table(rng, rng.uniform(-0.6, 0.3), rng.uniform(2.0, 2.6))
    things += _chair(rng, rng.uniform(0.8, 1.1), rng.uniform(2.0, 2.8))
    camera = Camera(height, width, 0.85, rng.normal(0, 0.12), rng.normal(0.14, 0.05))
    return look(things, camera, rng, (0, 0, 0))


def _tone(rng: np.random.Generator, base: Vector, spread: float = 0.08) -> Vector:
    red, green, blue = (float(np.clip(c + rng.normal(0, spread), 0.03, 0.97)) for c in base)
    return red, green, blue


def _shell(rng: np.random.Generator, half: float, back: float, top: float) -> list[Thing]:
    wall = _tone(rng, (0.8, 0.76, 0.66))
    floor, ceiling = _tone(rng, (0.52, 0.36, 0.22)), _tone(rng, (0.93, 0.93, 0.92), 0.02)
    near = -1.0
    return [
        Thing(FLOOR, floor, (-half, EYE, near), (half, EYE + 0.1, back), grain=0.05),
        Thing(CEILING, ceiling, (-half, top - 0.1, near), (half, top, back), grain=0.01),
        Thing(WALL, wall, (-half, top, back), (half, EYE, back + 0.1), grain=0.02),
        Thing(WALL, wall, (-half - 0.1, top, near), (-half, EYE, back), grain=0.02),
        Thing(WALL, wall, (half, top, near), (half + 0.1, EYE, back), grain=0.02),
    ]


def _on_wall(rng: np.random.Generator, half: float, back: float) -> list[Thing]:
    """A window, a picture and sometimes a television on the far wall."""
    order = rng.permutation(3)
    things = []
    for slot, what in zip((-0.66, 0.0, 0.62), order, strict=True):
        x, wide = slot * half, rng.uniform(0.35, 0.5)
        low, high = (x - wide, -0.75, back - THIN), (x + wide, 0.1, back)
        if what == 0:
            things.append(Thing(WINDOW, _tone(rng, (0.72, 0.86, 0.97), 0.03), low, high))
            bar = (x - 0.03, -0.75, back - 2 * THIN), (x + 0.03, 0.1, back - THIN)
            things.append(Thing(WINDOW, (0.95, 0.95, 0.95), *bar))
        elif what == 1:
            things.append(
                Thing(PICTURE, _tone(rng, (0.55, 0.35, 0.35), 0.25), low, high, grain=0.2)
            )
        elif chance(rng, 0.6):
            things.append(Thing(TV, (0.05, 0.05, 0.07), low, (x + wide, -0.15, back), grain=0.01))
    return things


def _sofa(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    seat = Thing(
        SOFA, _tone(rng, (0.45, 0.2, 0.2), 0.15), (x, EYE - 0.45, z - 0.9), (x + 1.9, EYE, z)
    )
    rest = replace(seat, low=(x, EYE - 0.9, z - 0.25), high=(x + 1.9, EYE - 0.45, z))
    arms = [
        replace(seat, low=(at, EYE - 0.65, z - 0.9), high=(at + 0.2, EYE - 0.45, z))
        for at in (x, x + 1.7)
    ]
    cushion = (x + 0.5, EYE - 0.8, z - 0.5), (x + 0.95, EYE - 0.42, z - 0.2)
    return [
        seat,
        rest,
        *arms,
        Thing(OBJECTS, _tone(rng, (0.8, 0.7, 0.2), 0.15), *cushion, round=True),
    ]


def _bed(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    cover = _tone(rng, (0.35, 0.45, 0.7), 0.15)
    pillow = (x + 0.3, EYE - 0.68, z - 0.6), (x + 1.1, EYE - 0.45, z - 0.1)
    return [
        Thing(BED, cover, (x, EYE - 0.5, z - 1.9), (x + 1.5, EYE - 0.1, z)),
        Thing(BED, (0.93, 0.93, 0.95), *pillow, round=True),
    ]


def _shelf(rng: np.random.Generator, half: float, back: float) -> list[Thing]:
    """A bookcase at the right wall, with books and a vase."""
    wood, side, front = _tone(rng, (0.45, 0.28, 0.14), 0.05), half - 0.35, back - 1.9
    things = [Thing(FURNITURE, wood, (side + 0.2, EYE - 1.7, front), (half, EYE, front + 1.5))]
    for up in (0.0, 0.5, 1.0, 1.5):
        board = (side, EYE - up - 0.2, front), (half, EYE - up - 0.16, front + 1.5)
        things.append(Thing(FURNITURE, wood, *board))
    for up in (0.2, 0.7, 1.2):
        z = front + 0.05
        while z < front + 1.3:
            thick = rng.uniform(0.05, 0.12)
            tall = rng.uniform(0.22, 0.38)
            book = (side + 0.02, EYE - up - tall, z), (half, EYE - up, z + thick)
            things.append(Thing(BOOKS, _tone(rng, (0.5, 0.35, 0.35), 0.25), *book))
            z += thick + 0.005
    vase = (side + 0.02, EYE - 2.0, front + 0.5), (side + 0.3, EYE - 1.66, front + 0.8)
    return [*things, Thing(OBJECTS, _tone(rng, (0.2, 0.5, 0.5), 0.2), *vase, round=True)]


def _table(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    wood = _tone(rng, (0.6, 0.42, 0.25), 0.06)
    top = Thing(TABLE, wood, (x - 0.65, EYE - 0.72, z), (x + 0.65, EYE - 0.66, z + 0.8))
    legs = [
        replace(top, low=(at, EYE - 0.66, deep), high=(at + 0.06, EYE, deep + 0.06))
        for at in (x - 0.62, x + 0.56)
        for deep in (z + 0.03, z + 0.7)
    ]
    cup = (x - 0.3, EYE - 0.9, z + 0.3), (x - 0.14, EYE - 0.7, z + 0.46)
    book = (x + 0.05, EYE - 0.79, z + 0.2), (x + 0.4, EYE - 0.72, z + 0.5)
    return [
        top,
        *legs,
        Thing(OBJECTS, _tone(rng, (0.85, 0.3, 0.2), 0.2), *cup, round=True),
        Thing(BOOKS, _tone(rng, (0.4, 0.5, 0.4), 0.2), *book),
    ]


def _chair(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    seat = Thing(
        CHAIR,
        _tone(rng, (0.2, 0.35, 0.25), 0.12),
        (x - 0.22, EYE - 0.48, z),
        (x + 0.22, EYE - 0.43, z + 0.44),
    )
    back = replace(seat, low=(x + 0.18, EYE - 0.98, z), high=(x + 0.22, EYE - 0.48, z + 0.44))
    legs = [
        replace(seat, low=(at, EYE - 0.43, deep), high=(at + 0.05, EYE, deep + 0.05))
        for at in (x - 0.22, x + 0.17)
        for deep in (z, z + 0.39)
    ]
    return [seat, back, *legs]
