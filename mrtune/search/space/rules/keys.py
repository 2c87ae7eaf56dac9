"""Parameters must be those of the trainer and its methods, with values that they can have."""

from collections.abc import Iterator
from typing import Any

from mrtune.config import did_you_mean
from mrtune.methods import METHODS
from mrtune.search.space.dimension import Choice, Dimension, FloatRange
from mrtune.search.space.known import Keys, fault
from mrtune.search.space.mistake import Mistake, Place
from mrtune.search.space.param import ByDepth
from mrtune.search.space.rules.draft import Draft

NAMES = tuple(METHODS)
IRRATIONAL = 0.3819660112501051  # so far into a range between whole numbers stands no whole number


def names_are_known(draft: Draft, keys: Keys) -> Iterator[Mistake]:
    """A name must be a key of the trainer, or of a method that is used."""
    methods = [method for method in draft.methods if method in NAMES] or NAMES
    known = {"method"}.union(*(keys.of_method(method) for method in methods))
    for part, names in (("params", draft.declared), ("fixed", draft.space.fixed)):
        for name in names:
            if name in known or name == "epochs":
                continue
            takers = keys.methods_with(name)
            if takers:
                used = ", ".join(methods)
                yield Mistake((part, name), f"belongs to {', '.join(takers)}, but method is {used}")
            else:
                yield Mistake((part, name), f"unknown key {name!r}; {did_you_mean(name, known)}")


def methods_exist(draft: Draft, _: Keys) -> Iterator[Mistake]:
    """A method must be one of ours."""
    part = "params" if "method" in draft.space.params else "fixed"
    if part == "params" and not isinstance(draft.space.params["method"], Choice):
        yield Mistake((part, "method"), "must be a list of methods")
    for method in draft.methods:
        if isinstance(method, list):
            yield Mistake((part, "method"), "must be one method: several go under params", method)
        elif method not in NAMES:
            hint = did_you_mean(str(method), METHODS)
            yield Mistake((part, "method"), f"no method {method!r}; {hint}")


def methods_take_their_params(draft: Draft, keys: Keys) -> Iterator[Mistake]:
    """A parameter of some methods must not reach the others."""
    for part, names in (("params", draft.space.params), ("fixed", draft.space.fixed)):
        for name in names:
            takers = keys.methods_with(name)
            users = draft.methods_using(name) if part == "params" else list(draft.methods)
            others = [user for user in users if user in NAMES and user not in takers]
            ours = [method for method in draft.methods if method in takers]
            if others and ours and name != "method":
                hint = f"when: {{method: [{', '.join(ours)}]}}"
                where = hint if part == "params" else f"params with {hint}"
                yield Mistake((part, name), f"{', '.join(others)} cannot take it: give it {where}")


def values_are_possible(draft: Draft, keys: Keys) -> Iterator[Mistake]:
    """Both ends of a range, every choice and every fixed value must be what its key can be."""
    for name, param in draft.space.params.items():
        found = [
            Mistake(place, rule, value)
            for place, value in _probes(("params", name), param)
            if (rule := _fault(draft, keys, name, value))
        ]
        if not found and isinstance(param, FloatRange) and param.values is None:
            inside = param.low + IRRATIONAL * (param.high - param.low)
            if _fault(draft, keys, name, inside):
                found = [Mistake(("params", name), "takes whole numbers only: add `type: int`")]
        yield from found
    for name, value in draft.space.fixed.items():
        if rule := _fault(draft, keys, name, value):
            yield Mistake(("fixed", name), rule, value)


def _fault(draft: Draft, keys: Keys, name: str, value: Any) -> str | None:
    """Return the rule that a value breaks under one of the methods that are used."""
    takers = keys.methods_with(name)
    users = [taker for taker in takers if taker in draft.methods] or takers
    faults = (fault(keys.of_method(user)[name], value) for user in users)
    return next((rule for rule in faults if rule), None)


def _probes(place: Place, param: Dimension | ByDepth) -> Iterator[tuple[Place, Any]]:
    """Yield the values to check, and where they stand."""
    if isinstance(param, ByDepth):
        yield place, {"shallow": param.shallow.centre, "deep": param.deep.centre}
        for end in ("shallow", "deep"):
            yield from _probes((*place, end), getattr(param, end))
    elif isinstance(param, Choice):
        yield from (((*place, "choices", n), value) for n, value in enumerate(param.choices))
    else:
        yield (*place, "low"), param.low
        yield (*place, "high"), param.high
