"""Faces whose attributes can be seen, in Celeb-A's official layout."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from mrtune.data.celeba import ATTRIBUTES_FILE, CELEBA_ATTRIBUTES, IMAGES, PARTITION_FILE
from mrtune.data.generate.traits import Traits, draw_traits
from mrtune.data.source import Progress

Colour = tuple[int, int, int]
Point = tuple[float, float]

WIDTH, HEIGHT = 178, 218
SCALE = 2  # drawn larger, then shrunk: smooth edges
SHARES = (0.8, 0.9)  # train up to here, val up to here, then test

HAIR: dict[str, Colour] = {
    "Black_Hair": (28, 24, 26),
    "Brown_Hair": (98, 60, 36),
    "Blond_Hair": (222, 186, 108),
    "Gray_Hair": (172, 172, 174),
}
SKINS: tuple[Colour, ...] = ((228, 180, 150), (205, 150, 115), (168, 114, 80), (120, 78, 54))
PALE: Colour = (248, 226, 214)
FRAME: Colour = (16, 16, 20)
CLOTHES: tuple[Colour, ...] = ((52, 70, 120), (120, 40, 50), (60, 100, 70), (70, 70, 76))


def write_celeba(folder: Path, n: int, seed: int, progress: Progress) -> None:
    """Write `n` JPEGs and the two lists."""
    (folder / IMAGES).mkdir()
    rows, parts = [f"{n}\n{' '.join(CELEBA_ATTRIBUTES)} \n"], []
    for index in range(n):
        rng = np.random.default_rng((seed, index))
        traits, name = draw_traits(rng), f"{index + 1:06d}.jpg"
        draw_face(traits, rng).save(folder / IMAGES / name, quality=92)
        signs = " ".join(" 1" if has else "-1" for has in traits.values())
        rows.append(f"{name} {signs}\n")
        parts.append(f"{name} {sum(index >= share * n for share in SHARES)}\n")
        progress(index + 1, n)
    (folder / ATTRIBUTES_FILE).write_text("".join(rows))
    (folder / PARTITION_FILE).write_text("".join(parts))


def draw_face(traits: Traits, rng: np.random.Generator) -> Image.Image:
    """Draw a face with these attributes; the generator decides all else."""
    face = _Face.draw(traits, rng)
    for layer in (_back, _body, _head, _cheeks, _beard, _mouth, _nose, _eyes, _front, _worn):
        layer(face)
    image = face.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    return image.filter(ImageFilter.GaussianBlur(3)) if traits["Blurry"] else image


@dataclass
class _Face:
    """A canvas, and where the parts of the face are on it."""

    traits: Traits
    rng: np.random.Generator
    image: Image.Image
    x: float  # the middle of the face
    y: float  # the height of the eyes
    half: float  # half of its width
    top: float  # of the skull
    chin: float
    skin: Colour
    hair: Colour

    @classmethod
    def draw(cls, traits: Traits, rng: np.random.Generator) -> "_Face":
        width, height = WIDTH * SCALE, HEIGHT * SCALE
        backdrop = tuple(int(v) for v in rng.integers(60, 220, 3))
        x = width / 2 + rng.normal(0, 3)
        y = height * 0.515 + rng.normal(0, 2)
        half = 84 * (1.14 if traits["Chubby"] else 1) * (1.06 if traits["Male"] else 1)
        half *= 0.9 if traits["Oval_Face"] else 1
        chin = y + 126 * (1.08 if traits["Oval_Face"] else 1) + rng.normal(0, 3)
        skin = PALE if traits["Pale_Skin"] else SKINS[rng.choice(4, p=(0.5, 0.3, 0.13, 0.07))]
        skin = _shade(skin, 1 + rng.normal(0, 0.03))
        hair = next((HAIR[name] for name in HAIR if traits[name]), skin)
        image = Image.new("RGB", (width, height), backdrop)
        canvas = cls(traits, rng, image, x, y, half, y - 112, chin, skin, hair)
        canvas.soft([(0, height * 0.5), (width, height * 0.4), (width, height), (0, height)], 0.85)
        return canvas

    def has(self, trait: str) -> bool:
        return self.traits[trait]

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    def ellipse(self, x: float, y: float, rx: float, ry: float, fill: Colour) -> None:
        self.pen.ellipse((x - rx, y - ry, x + rx, y + ry), fill=fill)

    def stain(
        self, x: float, y: float, rx: float, ry: float, fill: Colour, strength: float
    ) -> None:
        """Tint an ellipse with a soft edge."""
        mask = Image.new("L", self.image.size)
        ImageDraw.Draw(mask).ellipse((x - rx, y - ry, x + rx, y + ry), fill=int(255 * strength))
        self._tint(mask.filter(ImageFilter.GaussianBlur(min(rx, ry) / 3)), fill)

    def soft(self, points: list[Point], brightness: float) -> None:
        """Darken or lighten a polygon with a soft edge."""
        mask = Image.new("L", self.image.size)
        ImageDraw.Draw(mask).polygon(points, fill=90)
        tone = (255, 255, 255) if brightness > 1 else (0, 0, 0)
        self._tint(mask.filter(ImageFilter.GaussianBlur(30)), tone)

    def line(self, points: list[Point], fill: Colour, width: float) -> None:
        self.pen.line(points, fill=fill, width=max(1, round(width)), joint="curve")

    def arc(self, x: float, y: float, rx: float, bend: float, fill: Colour, width: float) -> None:
        """Draw a bow from x − rx to x + rx; `bend` is how far its middle hangs down."""
        steps = np.linspace(-1, 1, 17)
        self.line([(x + rx * t, y + bend * (1 - t * t)) for t in steps], fill, width)

    def _tint(self, mask: Image.Image, fill: Colour) -> None:
        self.image.paste(Image.new("RGB", self.image.size, fill), mask=mask)


def _shade(colour: Colour, by: float) -> Colour:
    red, green, blue = (min(255, max(0, round(channel * by))) for channel in colour)
    return red, green, blue


def _outline(face: _Face, grow: float, top: float, bottom: float, below: float) -> list[Point]:
    """Return the outline of hair: round above, then straight or wavy down to `below`."""
    half = face.half + grow
    arch = [
        (face.x + half * math.cos(a), top + (bottom - top) * (1 - math.sin(a)))
        for a in np.linspace(math.pi, 0, 25)
    ]
    wave = 13 if face.has("Wavy_Hair") else 0 if face.has("Straight_Hair") else 3
    depths = np.linspace(bottom, below, 25)
    right = [(face.x + half + wave * math.sin((d - bottom) / 9), d) for d in depths]
    left = [(2 * face.x - x, d) for x, d in reversed(right)]
    return arch + right + left


def _back(face: _Face) -> None:
    """The hair behind the face: long on women, short on men."""
    if face.has("Bald"):
        return
    below = face.y + 34 if face.has("Male") else face.chin + 58
    face.pen.polygon(_outline(face, 20, face.top - 22, face.y - 10, below), fill=face.hair)
    if face.has("Straight_Hair"):
        for step in (-1.12, -1.02, 1.02, 1.12):
            x = face.x + step * face.half
            face.line([(x, face.y - 20), (x, below)], _shade(face.hair, 0.75), 3)


def _body(face: _Face) -> None:
    """The neck, the shoulders and what is worn there."""
    male, bottom = face.has("Male"), HEIGHT * SCALE
    neck = 46 if male else 36
    cloth = CLOTHES[face.rng.integers(len(CLOTHES))]
    shadow = _shade(face.skin, 0.8)
    face.pen.rectangle((face.x - neck, face.chin - 40, face.x + neck, bottom), fill=shadow)
    face.ellipse(face.x, bottom + 20, 190 if male else 150, 58, cloth)
    if face.has("Wearing_Necktie"):
        face.pen.polygon(
            [(face.x - 44, bottom), (face.x, bottom - 38), (face.x + 44, bottom)],
            fill=(245, 245, 245),
        )
        tie = [(face.x - 13, bottom - 36), (face.x + 13, bottom - 36), (face.x + 17, bottom)]
        face.pen.polygon([*tie, (face.x - 17, bottom)], fill=(150, 20, 30))
    if face.has("Wearing_Necklace"):
        for t in np.linspace(-1, 1, 15):
            x, y = face.x + t * (neck + 12), face.chin + 16 + 26 * (1 - t * t)
            face.ellipse(x, y, 6, 6, (250, 240, 190))


def _head(face: _Face) -> None:
    """The skull and the jaw, wide on men."""
    jaw = 0.92 if face.has("Male") else 0.78
    jaw += 0.1 if face.has("Chubby") else 0
    for side in (-1, 1):
        face.ellipse(face.x + side * face.half, face.y + 12, 13, 26, _shade(face.skin, 0.92))
    face.ellipse(face.x, face.y - 8, face.half, face.y - face.top, face.skin)
    face.pen.polygon(
        [
            (face.x - face.half, face.y),
            (face.x + face.half, face.y),
            (face.x + face.half * jaw, face.chin - 42),
            (face.x + face.half * jaw * 0.5, face.chin - 3),
            (face.x - face.half * jaw * 0.5, face.chin - 3),
            (face.x - face.half * jaw, face.chin - 42),
        ],
        fill=face.skin,
    )
    face.ellipse(face.x, face.chin - 30, face.half * jaw * 0.72, 32, face.skin)
    if face.has("Double_Chin"):
        face.arc(face.x, face.chin - 4, face.half * 0.6, 22, _shade(face.skin, 0.62), 6)
    if not face.has("Young"):
        for y in (-62, -50):
            face.arc(face.x, face.y + y, face.half * 0.5, -5, _shade(face.skin, 0.78), 3)
        for side in (-1, 1):
            points = [(face.x + side * 34, face.y + 44), (face.x + side * 48, face.y + 72)]
            face.line(points, _shade(face.skin, 0.74), 4)


def _cheeks(face: _Face) -> None:
    for side in (-1, 1):
        x, y = face.x + side * face.half * 0.6, face.y + 40
        if face.has("High_Cheekbones"):
            face.stain(x, y - 16, 24, 10, _shade(face.skin, 1.25), 0.9)
            face.stain(x, y + 14, 20, 12, _shade(face.skin, 0.72), 0.35)
        if face.has("Rosy_Cheeks"):
            face.stain(x, y, 26, 20, (228, 84, 96), 0.7)


def _beard(face: _Face) -> None:
    hair = (60, 48, 42) if face.has("Bald") else _shade(face.hair, 0.85)
    mouth = _mouth_y(face)
    if face.has("5_o_Clock_Shadow"):
        face.stain(face.x, face.chin - 34, face.half * 0.8, 46, (74, 72, 80), 0.5)
    if face.has("Sideburns"):
        for side in (-1, 1):
            x = face.x + side * face.half * 0.93
            face.pen.rectangle((x - 10, face.y - 26, x + 10, face.y + 62), fill=hair)
    if face.has("Goatee"):
        face.ellipse(face.x, face.chin - 16, 27, 22, hair)
    if face.has("Mustache"):
        face.ellipse(face.x, mouth - 18, 38, 9, hair)


def _mouth_y(face: _Face) -> float:
    return face.y + 0.62 * (face.chin - face.y)


def _mouth(face: _Face) -> None:
    y, wide = _mouth_y(face), 40 if face.has("Smiling") else 32
    bend = 15 if face.has("Smiling") else -2
    thick = 17 if face.has("Big_Lips") else 9
    lips = (196, 24, 52) if face.has("Wearing_Lipstick") else _shade(face.skin, 0.74)
    if face.has("Mouth_Slightly_Open"):
        face.ellipse(face.x, y + bend * 0.6, wide * 0.8, thick * 0.6 + 11, lips)
        face.ellipse(face.x, y + bend * 0.6, wide * 0.64, 11, (60, 14, 20))
        face.ellipse(face.x, y + bend * 0.6 - 5, wide * 0.54, 5, (250, 250, 245))
    face.arc(face.x, y, wide, bend, lips, thick)
    if not face.has("Mouth_Slightly_Open"):
        face.arc(face.x, y, wide, bend, _shade(lips, 0.6), 3)


def _nose(face: _Face) -> None:
    tip = face.y + 0.36 * (face.chin - face.y)
    wide = 27 if face.has("Big_Nose") else 15
    dark, light = _shade(face.skin, 0.72), _shade(face.skin, 1.12)
    face.line([(face.x - 5, face.y + 4), (face.x - wide * 0.5, tip - 8)], dark, 4)
    if face.has("Pointy_Nose"):
        points = [(face.x, face.y + 8), (face.x - wide, tip), (face.x, tip + 12)]
        face.pen.polygon([*points, (face.x + wide, tip)], fill=light)
        face.line([(face.x - wide, tip), (face.x, tip + 12), (face.x + wide, tip)], dark, 4)
    else:
        face.ellipse(face.x, tip - 2, wide, wide * 0.5, _shade(face.skin, 1.05))
        face.arc(face.x, tip, wide, 9, dark, 4)


def _eyes(face: _Face) -> None:
    iris: Colour = ((70, 44, 28), (60, 90, 60), (70, 110, 160))[face.rng.integers(3)]
    tall = 5 if face.has("Narrow_Eyes") else 12
    brow = (50, 40, 36) if face.has("Bald") else _shade(face.hair, 0.7)
    for side in (-1, 1):
        x = face.x + side * face.half * 0.46
        if face.has("Heavy_Makeup"):
            face.stain(x, face.y - 10, 30, 17, (110, 50, 120), 0.85)
        if face.has("Bags_Under_Eyes"):
            face.stain(x, face.y + 20, 22, 9, _shade(face.skin, 0.5), 0.8)
            face.arc(x, face.y + 18, 20, 8, _shade(face.skin, 0.6), 4)
        face.ellipse(x, face.y, 22, tall, (250, 250, 250))
        face.ellipse(x, face.y, min(10, tall + 3), min(10, tall), iris)
        face.ellipse(x, face.y, 4, 4, (10, 10, 10))
        face.arc(x, face.y, 23, -tall - 3, (40, 28, 26), 6 if face.has("Heavy_Makeup") else 3)
        bend = -20 if face.has("Arched_Eyebrows") else -3
        face.arc(x, face.y - 28, 26, bend, brow, 13 if face.has("Bushy_Eyebrows") else 5)


def _front(face: _Face) -> None:
    """The hair over the forehead, or how much of it is bare."""
    if face.has("Bald"):
        face.stain(face.x + 14, face.top + 20, 30, 12, _shade(face.skin, 1.25), 0.8)
        return
    line = face.top + (66 if face.has("Bangs") else 8 if face.has("Receding_Hairline") else 34)
    edge = [
        (face.x + t * (face.half + 8), line + (46 if not face.has("Bangs") else 8) * t * t)
        for t in np.linspace(1, -1, 21)
    ]
    half = face.half + 12
    arch = [
        (face.x + half * math.cos(a), face.y - 40 - (face.y - 40 - face.top + 20) * math.sin(a))
        for a in np.linspace(math.pi, 0, 21)
    ]
    face.pen.polygon(arch + edge, fill=_shade(face.hair, 1.08))
    if face.has("Bangs"):
        for x, y in edge[1::3]:
            face.line([(x, y - 28), (x, y + 6)], _shade(face.hair, 0.85), 3)


def _worn(face: _Face) -> None:
    if face.has("Wearing_Earrings"):
        for side in (-1, 1):
            face.ellipse(face.x + side * (face.half + 6), face.y + 46, 8, 12, (255, 214, 60))
    if face.has("Eyeglasses"):
        for side in (-1, 1):
            x = face.x + side * face.half * 0.46
            box = (x - 33, face.y - 23, x + 33, face.y + 25)
            face.pen.rounded_rectangle(box, radius=14, outline=FRAME, width=6)
            face.line([(x + side * 33, face.y), (face.x + side * face.half, face.y - 4)], FRAME, 6)
        face.line([(face.x - 6, face.y - 4), (face.x + 6, face.y - 4)], FRAME, 6)
    if face.has("Wearing_Hat"):
        cloth = CLOTHES[face.rng.integers(len(CLOTHES))]
        brim = face.top + 34
        face.pen.pieslice(
            (face.x - face.half - 16, face.top - 44, face.x + face.half + 16, brim + 78),
            180,
            360,
            fill=cloth,
        )
        face.ellipse(face.x, brim, face.half + 44, 15, _shade(cloth, 0.7))
