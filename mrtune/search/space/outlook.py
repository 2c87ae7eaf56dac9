"""What is known of a search before it starts: when roaming ends, and what will be left undone."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mrtune.methods.sharing import ByDepth
from mrtune.search.space.forecasts import Unforeseen, forecast_of, roaming_of
from mrtune.search.space.space import Space
from mrtune.search.space.typical import slowest, typical
from mrtune.training.resolve import load_trainer, with_defaults

GRACE_SHARE = 0.75  # of the typical plan: a partition that has just begun to roam is behind
GRACE_LIMIT = 0.5  # of the budget: later, stopping a trial saves little


@dataclass(frozen=True)
class Outlook:
    """What a space amounts to."""

    grace: float  # epochs before which no trial is stopped, given or by default
    typical: dict[str, Any]  # the configuration in the centre
    end: float | None  # epoch at which its roaming ends; none where nothing roams or is known
    done: float | None  # share of its plan that is done when training ends
    warnings: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def outlook_of(space: Space) -> Outlook:
    """Look ahead."""
    config = typical(space)
    try:
        predicted = forecast_of(space, config)
    except Unforeseen:
        predicted = None  # the warnings say why
    return Outlook(
        grace=space.budget.grace or default_grace(space),
        typical=config,
        end=predicted.end if predicted else None,
        done=predicted.done if predicted else None,
        warnings=plan_warnings(space),
    )


def default_grace(space: Space) -> float:
    """Return the epochs before which no trial is stopped, where the file does not say.

    They are as many as the typical plan needs for GRACE_SHARE of its swaps, at most GRACE_LIMIT of
    the budget; where nothing roams, or nothing is known of it, those of the first of three rungs.
    """
    epochs = space.budget.epochs
    first_of_three = epochs / space.budget.reduction**2
    try:
        predicted = forecast_of(space, typical(space))
    except Unforeseen:
        predicted = None
    if predicted is None:
        return first_of_three
    return min(max(predicted.epoch_of(GRACE_SHARE), first_of_three), GRACE_LIMIT * epochs)


def plan_warnings(space: Space) -> list[str]:
    """Say with numbers which plans cannot finish within the budget: the slowest, the typical."""
    try:
        found = [_unfinished(space, config) for config in (slowest(space), typical(space))]
    except Unforeseen as reason:
        return [f"no forecast of roaming: {reason}"]
    return list(dict.fromkeys(warning for warning in found if warning))


def _unfinished(space: Space, config: Mapping[str, Any]) -> str | None:
    predicted = forecast_of(space, config)
    method = roaming_of(with_defaults(load_trainer(space.trainer), config))
    if predicted is None or method is None or predicted.done == 1:
        return None
    plan, p = predicted.plan, method.p
    clock = f"finish_at={plan.finish_at:.3g}" if plan.finish_at else f"delta={plan.delta:.3g}"
    share = f"{p.shallow:.3g} to {p.deep:.3g}" if isinstance(p, ByDepth) else f"{p:.3g}"
    return (
        f"at {clock}, p={share}, r={plan.r:.3g}: roaming ends at epoch {predicted.end:.3g}, "
        f"budget {predicted.epochs:g}: {predicted.done:.0%} done"
    )
