"""Streets with classes and disparities that agree, in MTAN's layout of Cityscapes."""

from pathlib import Path

import numpy as np

from mrtune.data.cityscapes import CITYSCAPES_CLASSES
from mrtune.data.convert import DISPARITY_SCALE
from mrtune.data.generate.chance import chance
from mrtune.data.generate.scene import Camera, Thing, Vector, View, look, numbered, write_scene
from mrtune.data.source import Progress

FLAT, CONSTRUCTION, OBJECT, NATURE, SKY, HUMAN, VEHICLE = range(len(CITYSCAPES_CLASSES))
RARE = 0.01  # the share of pixels that nobody knows
EYE = 1.4  # metres of the camera above the street
CAR_COLOURS: tuple[Vector, ...] = (
    (0.7, 0.1, 0.1),
    (0.1, 0.2, 0.55),
    (0.85, 0.85, 0.88),
    (0.12, 0.12, 0.14),
)
# Of the stereo camera of Cityscapes: disparity in pixels = focal length * baseline / depth.
FOCAL_TIMES_BASELINE = 2262 * 0.209313
GREATEST_DISPARITY = 126.0
END = 110  # metres of street


def write_cityscapes(folder: Path, n: int, seed: int, progress: Progress) -> None:
    """Write `n` streets of 128×256 pixels."""
    for place, number, rng in numbered(folder, n, seed, progress):
        view = draw_street(rng, 128, 256)
        label = np.where(view.depth > 0, view.label, SKY)
        rare = rng.random(label.shape) < RARE
        write_scene(
            place,
            number,
            {
                "image": view.image,
                "label_7": np.where(rare, -1, label),
                "depth": disparity(view) / DISPARITY_SCALE,
            },
        )


def disparity(view: View) -> np.ndarray:
    """Return the raw 16-bit disparity as Cityscapes stores it, 0 where there is none."""
    with np.errstate(divide="ignore"):
        pixels = np.minimum(FOCAL_TIMES_BASELINE / view.depth, GREATEST_DISPARITY)
    return np.where(view.depth > 0, np.floor(pixels * 256 + 1), 0)


def draw_street(rng: np.random.Generator, height: int, width: int) -> View:
    """Draw a street between houses, with what is found on it."""
    half = rng.uniform(5, 8)  # of the width between the houses
    kerb = half - rng.uniform(1.8, 2.6)
    things = _ground(rng, half, kerb) + _houses(rng, half)
    for side in (-1, 1):
        for _ in range(rng.integers(1, 4)):
            things += _tree(rng, side * (half - 0.7), rng.uniform(7, 45))
        for _ in range(rng.integers(1, 4)):
            things += _pole(rng, side * (kerb + 0.4), rng.uniform(6, 40))
        for _ in range(rng.integers(1, 4)):
            things += _person(rng, side * rng.uniform(kerb + 0.3, half - 0.5), rng.uniform(5, 25))
        for _ in range(rng.integers(1, 4)):
            things += _car(rng, side * rng.uniform(1.6, kerb - 1), rng.uniform(7, 50))
    camera = Camera(height, width, 0.9, rng.normal(0, 0.04), rng.normal(0.02, 0.01))
    blue = rng.uniform(0.75, 0.95)
    return look(things, camera, rng, (blue - 0.15, blue - 0.05, blue))


def _ground(rng: np.random.Generator, half: float, kerb: float) -> list[Thing]:
    grey = rng.uniform(0.3, 0.42)
    road = Thing(FLAT, (grey, grey, grey + 0.02), (-60, EYE, -5), (60, EYE + 1, 300))
    things = [road]
    for side in (-1, 1):
        low, high = sorted((side * kerb, side * half))
        pavement = (grey + 0.2, grey + 0.17, grey + 0.16)
        things.append(Thing(FLAT, pavement, (low, EYE - 0.12, -5), (high, EYE, 300)))
    for start in range(4, 80, 6):
        white = (0.85, 0.85, 0.85)
        things.append(Thing(FLAT, white, (-0.08, EYE - 0.01, start), (0.08, EYE, start + 2.5)))
    return things


def _houses(rng: np.random.Generator, half: float) -> list[Thing]:
    things = []
    for side in (-1, 1):
        z = -5.0
        while z < END:
            depth, tall = rng.uniform(8, 16), rng.uniform(5, 16)
            low, high = sorted((side * half, side * (half + 12)))
            warm = rng.uniform(0.4, 0.75)
            colour = (warm, warm * rng.uniform(0.75, 0.95), warm * rng.uniform(0.6, 0.85))
            if chance(rng, 0.85):
                box = (low, EYE - tall, z), (high, EYE, z + depth)
                things += [
                    Thing(CONSTRUCTION, colour, *box),
                    *_windows(side * half, z, depth, tall),
                ]
            else:
                hedge = (low, EYE - 1.8, z), (high, EYE, z + depth)
                things.append(Thing(NATURE, (0.2, 0.4, 0.15), *hedge, grain=0.1))
            z += depth
    return things


def _windows(x: float, z: float, depth: float, tall: float) -> list[Thing]:
    """Rows of dark panes on the front of a house, a little proud of it."""
    pane = (0.22, 0.26, 0.32)
    return [
        Thing(CONSTRUCTION, pane, (x - 0.03, EYE - up - 1.5, at), (x + 0.03, EYE - up, at + 1.2))
        for up in np.arange(1.2, tall - 2, 3)
        for at in np.arange(z + 1, z + depth - 1.5, 2.8)
        if at > 0
    ]


def _tree(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    tall, wide = rng.uniform(4, 7), rng.uniform(1.1, 2)
    green = (0.14, rng.uniform(0.32, 0.5), 0.1)
    crown = (x - wide, EYE - tall, z - wide), (x + wide, EYE - tall * 0.4, z + wide)
    trunk = (x - 0.15, EYE - tall * 0.6, z - 0.15), (x + 0.15, EYE, z + 0.15)
    return [
        Thing(NATURE, green, *crown, round=True, grain=0.1),
        Thing(NATURE, (0.3, 0.2, 0.12), *trunk),
    ]


def _pole(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    tall = rng.uniform(2.6, 4.5)
    pole = Thing(
        OBJECT, (0.5, 0.5, 0.52), (x - 0.08, EYE - tall, z - 0.08), (x + 0.08, EYE, z + 0.08)
    )
    sign: Vector = ((0.85, 0.1, 0.1), (0.1, 0.25, 0.75), (0.9, 0.8, 0.1))[rng.integers(3)]
    plate = (x - 0.35, EYE - tall - 0.2, z - 0.12), (x + 0.35, EYE - tall + 0.5, z - 0.08)
    return [pole, Thing(OBJECT, sign, *plate)]


def _person(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    tall = rng.uniform(1.55, 1.9)
    coat: Vector = (rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.6))
    head = (x - 0.13, EYE - tall, z - 0.13), (x + 0.13, EYE - tall + 0.28, z + 0.13)
    torso = (x - 0.27, EYE - tall + 0.25, z - 0.16), (x + 0.27, EYE - tall * 0.45, z + 0.16)
    things = [
        Thing(HUMAN, (0.85, 0.65, 0.52), *head, round=True),
        Thing(HUMAN, coat, *torso, round=False),
    ]
    for side in (-1, 1):
        leg = x + side * 0.12
        corners = (leg - 0.09, EYE - tall * 0.46, z - 0.1), (leg + 0.09, EYE, z + 0.1)
        things.append(Thing(HUMAN, (0.15, 0.16, 0.25), *corners))
    return things


def _car(rng: np.random.Generator, x: float, z: float) -> list[Thing]:
    colour = CAR_COLOURS[rng.integers(len(CAR_COLOURS))]
    body = (x - 0.85, EYE - 0.85, z), (x + 0.85, EYE - 0.25, z + 4)
    cabin = (x - 0.7, EYE - 1.45, z + 0.8), (x + 0.7, EYE - 0.85, z + 3)
    lamps = [
        Thing(VEHICLE, (0.9, 0.15, 0.1), (at, EYE - 0.7, z - 0.02), (at + 0.25, EYE - 0.5, z))
        for at in (x - 0.8, x + 0.55)
    ]
    wheels = [
        Thing(VEHICLE, (0.06, 0.06, 0.06), (at, EYE - 0.4, z + 0.3), (at + 0.25, EYE, z + 1))
        for at in (x - 0.86, x + 0.61)
    ]
    return [
        Thing(VEHICLE, colour, *body),
        Thing(VEHICLE, (0.2, 0.24, 0.3), *cabin),
        *lamps,
        *wheels,
    ]
