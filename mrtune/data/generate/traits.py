"""Whether a synthetic face has each of Celeb-A's 40 attributes."""

import numpy as np

from mrtune.data.celeba import CELEBA_ATTRIBUTES
from mrtune.data.generate.chance import chance

Traits = dict[str, bool]

HAIR_COLOURS = ("Black_Hair", "Brown_Hair", "Blond_Hair", "Gray_Hair")
BEARDS = ("5_o_Clock_Shadow", "Goatee", "Mustache", "Sideburns")

# Chances of what depends on nothing but the sex: of women, of men.
CHANCES = {
    "Arched_Eyebrows": (0.42, 0.08),
    "Bags_Under_Eyes": (0.12, 0.35),
    "Big_Lips": (0.3, 0.15),
    "Big_Nose": (0.12, 0.4),
    "Blurry": (0.06, 0.06),
    "Bushy_Eyebrows": (0.07, 0.25),
    "Chubby": (0.04, 0.12),
    "Eyeglasses": (0.06, 0.15),
    "Heavy_Makeup": (0.6, 0.0),
    "Mouth_Slightly_Open": (0.5, 0.45),
    "Narrow_Eyes": (0.12, 0.12),
    "Oval_Face": (0.3, 0.25),
    "Pale_Skin": (0.06, 0.04),
    "Pointy_Nose": (0.33, 0.2),
    "Smiling": (0.54, 0.4),
    "Wearing_Earrings": (0.32, 0.02),
    "Wearing_Hat": (0.03, 0.09),
    "Wearing_Necklace": (0.2, 0.01),
    "Wearing_Necktie": (0.0, 0.18),
}


def draw_traits(rng: np.random.Generator) -> Traits:
    """Draw 40 attributes that go together roughly as they do in Celeb-A."""
    male, young = chance(rng, 0.42), chance(rng, 0.75)
    traits = {name: chance(rng, chances[male]) for name, chances in CHANCES.items()}
    traits |= {"Male": male, "Young": young}
    traits["Double_Chin"] = chance(rng, 0.6 if traits["Chubby"] else 0.02)
    traits["High_Cheekbones"] = chance(rng, 0.75 if traits["Smiling"] else 0.15)
    traits["Wearing_Lipstick"] = not male and chance(rng, 0.9 if traits["Heavy_Makeup"] else 0.5)
    traits["Rosy_Cheeks"] = chance(rng, 0.3 if traits["Heavy_Makeup"] else 0.04)
    traits |= _hair(traits, rng)
    beards = {name: male and chance(rng, 0.22) for name in BEARDS}
    traits |= beards | {"No_Beard": not any(beards.values())}
    pleasing = 0.3 + 0.3 * young + 0.3 * traits["Heavy_Makeup"] - 0.3 * traits["Bags_Under_Eyes"]
    traits["Attractive"] = chance(rng, pleasing - 0.3 * traits["Chubby"])
    return {name: traits[name] for name in CELEBA_ATTRIBUTES}


def _hair(traits: Traits, rng: np.random.Generator) -> Traits:
    """Draw hair: none, or one colour and at most one form."""
    bald = traits["Male"] and chance(rng, 0.1)
    weights = (0.35, 0.35, 0.25, 0.05) if traits["Young"] else (0.15, 0.15, 0.1, 0.6)
    colour = HAIR_COLOURS[rng.choice(len(HAIR_COLOURS), p=weights)]
    hair = {name: name == colour and not bald for name in HAIR_COLOURS}
    hair["Bald"] = bald
    hair["Straight_Hair"] = not bald and chance(rng, 0.35)
    hair["Wavy_Hair"] = not bald and not hair["Straight_Hair"] and chance(rng, 0.6)
    hair["Bangs"] = not bald and not traits["Wearing_Hat"] and chance(rng, 0.2)
    hair["Receding_Hairline"] = not bald and not hair["Bangs"] and chance(rng, 0.12)
    return hair
