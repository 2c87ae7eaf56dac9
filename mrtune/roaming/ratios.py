"""The sharing ratio of every layer: the same one, one for each, or one that changes with depth."""

from collections.abc import Collection, Mapping

from mrtune.errors import ParameterError
from mrtune.roaming.checks import check_share

Ratio = float | Mapping[str, float]


def ratio_of_each(layers: Collection[str], p: Ratio) -> dict[str, float]:
    """Return the ratio of every layer; `p` is one number or one per layer."""
    ratios = {name: p[name] for name in p} if isinstance(p, Mapping) else dict.fromkeys(layers, p)
    if set(ratios) != set(layers):
        raise ParameterError("p", f"given for the layers {list(layers)}", list(ratios))
    for ratio in ratios.values():
        check_share("p", ratio)
    return ratios


def ratios_by_depth(layers: Collection[str], shallow: float, deep: float) -> dict[str, float]:
    """Go from `shallow` at the first layer to `deep` at the last, by the same step each time."""
    last = max(1, len(layers) - 1)
    return {
        name: shallow * (1 - place / last) + deep * (place / last)
        for place, name in enumerate(layers)
    }
