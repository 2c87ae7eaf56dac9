"""A small ray caster: boxes and balls in, a picture with class, depth and normal per pixel out.

Axes as a camera has them: x to the right, y down, z ahead, metres. The camera is at the origin.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrtune.data.prepared import Array
from mrtune.data.source import Progress

Vector = tuple[float, float, float]
Floats = NDArray[np.float64]

FAR = 1e9
NEAR = 0.05
LIGHT = np.array((0.35, -0.8, -0.5)) / np.linalg.norm((0.35, -0.8, -0.5))
TRAIN_SHARE = 0.75


@dataclass(frozen=True)
class Thing:
    """A box between two corners, or the ball that fits into it."""

    label: int
    colour: Vector  # 0 to 1
    low: Vector
    high: Vector
    round: bool = False
    grain: float = 0.025  # how rough it looks


@dataclass(frozen=True)
class View:
    """What a camera sees."""

    image: Floats  # [height, width, 3], 0 to 1
    label: NDArray[np.int64]  # -1 where there is nothing
    depth: Floats  # along z, 0 where there is nothing
    normal: Floats  # [height, width, 3], towards the camera, 0 where there is nothing


@dataclass(frozen=True)
class Camera:
    """The size of the picture, and where the camera looks."""

    height: int
    width: int
    focal: float  # in widths of the picture
    yaw: float = 0.0
    pitch: float = 0.0

    def rays(self) -> tuple[Floats, Floats]:
        """Return a ray for each pixel with z = 1 for the camera, and the camera's axes."""
        scale = self.focal * self.width
        u = (np.arange(self.width) + 0.5 - self.width / 2) / scale
        v = (np.arange(self.height) + 0.5 - self.height / 2) / scale
        x, y = np.meshgrid(u, v)
        axes = _turn(self.yaw, self.pitch)
        return np.stack([x, y, np.ones_like(x)], axis=-1) @ axes.T, axes

    def window(self, thing: Thing, axes: Floats) -> tuple[slice, slice]:
        """Return the rows and columns outside of which a thing cannot be seen."""
        corners = np.array([*product(*zip(thing.low, thing.high, strict=True))]) @ axes
        if corners[:, 2].min() < NEAR:
            return slice(None), slice(None)
        seen = corners[:, 1::-1] / corners[:, 2:] * (self.focal * self.width)
        seen += np.array((self.height, self.width)) / 2
        rows, columns = np.stack([seen.min(axis=0), seen.max(axis=0) + 1]).clip(0).astype(int).T
        return slice(*rows), slice(*columns)


def look(things: Sequence[Thing], camera: Camera, rng: np.random.Generator, sky: Vector) -> View:
    """Draw what the camera sees of some things in front of a sky."""
    rays, axes = camera.rays()
    depth = np.full(rays.shape[:2], FAR)
    normal = np.zeros_like(rays)
    owner = np.full(rays.shape[:2], len(things))
    with np.errstate(divide="ignore", invalid="ignore"):
        for index, thing in enumerate(things):
            part = camera.window(thing, axes)
            distance, towards = (_ball if thing.round else _box)(thing, rays[part])
            nearer = distance < depth[part]
            depth[part][nearer] = distance[nearer]
            normal[part][nearer] = towards[nearer]
            owner[part][nearer] = index
    colours = np.array([*(thing.colour for thing in things), sky])
    grains = np.array([*(thing.grain for thing in things), 0.01])
    labels = np.array([*(thing.label for thing in things), -1])
    lit = 0.62 + 0.38 * (normal @ LIGHT)
    lit = np.where(depth < FAR, lit * (0.75 + 0.25 * np.exp(-depth / 25)), 1)
    rough = rng.normal(0, 1, (*depth.shape, 1)) * grains[owner][..., None]
    image = np.clip(colours[owner] * lit[..., None] + rough, 0, 1)
    seen = depth < FAR
    return View(image, labels[owner], np.where(seen, depth, 0), normal @ axes)


def write_scene(folder: Path, number: int, arrays: dict[str, Array]) -> None:
    """Write the files of one scene as MTAN does, float32."""
    for kind, array in arrays.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        np.save(folder / kind / f"{number}.npy", array.astype(np.float32))


def numbered(folder: Path, n: int, seed: int, progress: Progress) -> "Iterator[_Place]":
    """Yield a folder, a number and a generator for each of `n` scenes; 3 of 4 are for training."""
    train = round(TRAIN_SHARE * n)
    for index in range(n):
        split, number = ("train", index) if index < train else ("val", index - train)
        yield folder / split, number, np.random.default_rng((seed, index))
        progress(index + 1, n)


_Place = tuple[Path, int, np.random.Generator]


def _turn(yaw: float, pitch: float) -> Floats:
    """Return the camera's axes as columns: turned to the right by yaw, downwards by pitch."""
    a, b = np.cos([yaw, pitch]), np.sin([yaw, pitch])
    around = np.array([[a[0], 0, b[0]], [0, 1, 0], [-b[0], 0, a[0]]])
    tilt = np.array([[1, 0, 0], [0, a[1], b[1]], [0, -b[1], a[1]]])
    turned: Floats = around @ tilt
    return turned


def _box(thing: Thing, rays: Floats) -> tuple[Floats, Floats]:
    """Return the distance to a box along each ray, and its normal; from inside, the far wall."""
    one, two = np.array(thing.low) / rays, np.array(thing.high) / rays
    enter, leave = np.minimum(one, two), np.maximum(one, two)
    near, far = enter.max(axis=-1), leave.min(axis=-1)
    inside = near <= 0
    distance = np.where(inside, far, near)
    distance = np.where((near <= far) & (distance > 0), distance, FAR)
    axis = np.where(inside, leave.argmin(axis=-1), enter.argmax(axis=-1))
    normal = -np.sign(rays) * (np.arange(3) == axis[..., None])
    return distance, normal


def _ball(thing: Thing, rays: Floats) -> tuple[Floats, Floats]:
    """Return the distance to an ellipsoid along each ray, and its normal."""
    low, high = np.array(thing.low), np.array(thing.high)
    centre, radii = (low + high) / 2, (high - low) / 2
    along, off = rays / radii, -centre / radii
    a, b, c = (along**2).sum(-1), (along * off).sum(-1), (off**2).sum() - 1
    root = np.sqrt(b * b - a * c)  # NaN where the ray passes by
    distance = (-b - root) / a
    distance = np.where(distance > 0, distance, FAR)
    normal = (rays * distance[..., None] - centre) / radii**2
    return distance, normal / np.linalg.norm(normal, axis=-1, keepdims=True)
