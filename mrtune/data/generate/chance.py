"""One draw."""

import numpy as np


def chance(rng: np.random.Generator, p: float) -> bool:
    """Return True with probability p."""
    return bool(rng.random() < p)
