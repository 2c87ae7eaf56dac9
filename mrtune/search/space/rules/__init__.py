"""Rules that a search space must keep beyond the shape of its file."""

from collections.abc import Callable, Collection, Iterator

from mrtune.search.space.known import Keys
from mrtune.search.space.mistake import Mistake
from mrtune.search.space.rules import conditions, keys, whole
from mrtune.search.space.rules.draft import Draft
from mrtune.search.space.space import Space

KEY_RULES: tuple[Callable[[Draft, Keys], Iterator[Mistake]], ...] = (
    keys.names_are_known,
    keys.methods_exist,
    keys.methods_take_their_params,
    keys.values_are_possible,
)
RULES: tuple[Callable[[Draft], Iterator[Mistake]], ...] = (
    whole.trainer_exists,
    conditions.one_clock,
    conditions.conditions_can_hold,
    conditions.conditions_do_not_go_round,
    whole.said_once,
    whole.grid_can_be_counted,
    whole.metrics_are_known,
    whole.several_objectives,
    whole.grace_ends,
)


def rule_mistakes(space: Space, declared: Collection[str] = ()) -> list[Mistake]:
    """Return everything that is wrong with a space whose shape is right."""
    draft = Draft(space, {*declared, *space.params})
    found = [mistake for rule in RULES for mistake in rule(draft)]
    if draft.keys is not None:
        found += [mistake for rule in KEY_RULES for mistake in rule(draft, draft.keys)]
    return found
