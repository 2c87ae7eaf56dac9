"""What depends on other parameters must be able to, and must not meet what it excludes."""

from collections.abc import Iterator
from typing import Any

from mrtune.config import did_you_mean
from mrtune.search.space.dimension import Choice, Scalar
from mrtune.search.space.mistake import Mistake, Place
from mrtune.search.space.rules.draft import Conditions, Draft
from mrtune.training.resolve import CLOCKS


def one_clock(draft: Draft) -> Iterator[Mistake]:
    """Δ and its alternative must not meet in one trial."""
    given = {
        clock: part
        for clock in CLOCKS
        for part, names in (("params", draft.space.params), ("fixed", draft.space.fixed))
        if clock in names
    }
    if len(given) == len(CLOCKS) and not _apart(*(draft.conditions(clock) for clock in CLOCKS)):
        last = CLOCKS[-1]
        rule = f"{CLOCKS[0]} is given too: keep one of them, or part them by `when`"
        yield Mistake((given[last], last), rule)


def _apart(one: Conditions, other: Conditions) -> bool:
    """Whether two conditions can never hold together."""
    return any(one[name].isdisjoint(other[name]) for name in one.keys() & other.keys())


def conditions_can_hold(draft: Draft) -> Iterator[Mistake]:
    """A condition must ask for values that another parameter can have."""
    for name, param in draft.space.params.items():
        for parent, values in param.when.items():
            place = ("params", name, "when", parent)
            others = {*draft.space.params, *draft.space.fixed} - {name}
            if parent in draft.declared and parent not in draft.space.params:
                continue  # what is wrong with it is said elsewhere
            if parent not in others:
                rule = f"no other parameter {parent!r}; {did_you_mean(parent, others)}"
                yield Mistake(place, rule)
                continue
            yield from _values_can_be(draft, place, parent, values)


def _values_can_be(
    draft: Draft, place: Place, parent: str, values: tuple[Scalar, ...]
) -> Iterator[Mistake]:
    asked = draft.space.params.get(parent)
    if asked is None:
        possible: tuple[Any, ...] = (draft.space.fixed[parent],)
    elif isinstance(asked, Choice):
        possible = asked.choices
    else:
        yield Mistake(place, f"{parent} must have choices for others to depend on it")
        return
    for value in values:
        if value not in possible:
            rule = f"must be one of {', '.join(map(str, possible))}"
            yield Mistake(place, rule, value)


def conditions_do_not_go_round(draft: Draft) -> Iterator[Mistake]:
    """A parameter must not depend on itself."""
    for name, param in draft.space.params.items():
        if any(name in draft.conditions(parent) for parent in param.when):
            yield Mistake(("params", name, "when"), f"{name} depends on itself")
