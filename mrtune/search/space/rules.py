"""Rules that a search space must keep beyond the shape of its file."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mrtune.config import did_you_mean
from mrtune.errors import UsageError
from mrtune.methods import METHODS
from mrtune.search.space.dimension import Choice, Dimension, FloatRange, Scalar
from mrtune.search.space.known import Keys, fault, keys_of
from mrtune.search.space.mistake import Mistake
from mrtune.search.space.objective import KNOWN, direction_of
from mrtune.search.space.param import ByDepth
from mrtune.search.space.space import Space
from mrtune.training.resolve import CLOCKS, load_trainer, trainer_names

NAMES = tuple(METHODS)
IRRATIONAL = 0.3819660112501051  # so far into a range between whole numbers stands no whole number
Conditions = Mapping[str, frozenset[Scalar]]


@dataclass(frozen=True)
class Draft:
    """A space that may break rules; `declared` also names params too broken to be in it."""

    space: Space
    declared: Collection[str]

    @cached_property
    def keys(self) -> Keys | None:
        """What the trainer can be told, where that is known."""
        return keys_of(self.space.trainer)

    @cached_property
    def methods(self) -> tuple[Any, ...]:
        """Methods that trials may use."""
        given = self.space.params.get("method")
        if isinstance(given, Choice):
            return given.choices
        default = self.keys.defaults["method"] if self.keys else None
        return (self.space.fixed.get("method", default),)

    def conditions(self, name: str) -> Conditions:
        """Return what must hold for a parameter to be used, its parents' conditions included."""
        met: dict[str, frozenset[Scalar]] = {}
        waiting, seen = [name], set()
        while waiting:
            current = waiting.pop()
            param = self.space.params.get(current)
            if param is None or current in seen:
                continue
            seen.add(current)
            for parent, values in param.when.items():
                met[parent] = met.get(parent, frozenset(values)) & frozenset(values)
                waiting.append(parent)
        return met

    def methods_using(self, name: str) -> list[Any]:
        """Methods in whose trials a parameter is used."""
        wanted = self.conditions(name).get("method")
        return [method for method in self.methods if wanted is None or method in wanted]


def rule_mistakes(space: Space, declared: Collection[str] = ()) -> list[Mistake]:
    """Return everything that is wrong with a space whose shape is right."""
    draft = Draft(space, {*declared, *space.params})
    return [mistake for rule in RULES for mistake in rule(draft)]


def _trainer_exists(draft: Draft) -> Iterator[Mistake]:
    trainer, known = draft.space.trainer, trainer_names()
    if not trainer.endswith(".py"):
        if trainer not in known:
            rule = f"no workload {trainer!r}; {did_you_mean(trainer, known)} (a file ends in .py)"
            yield Mistake(("trainer",), rule)
        return
    try:
        load_trainer(trainer)
    except UsageError as error:
        yield Mistake(("trainer",), str(error))


def _names_are_known(draft: Draft) -> Iterator[Mistake]:
    if draft.keys is None:
        return
    methods = [method for method in draft.methods if method in NAMES] or NAMES
    known = {"method"}.union(*(draft.keys.of_method(method) for method in methods))
    for part, names in (("params", draft.declared), ("fixed", draft.space.fixed)):
        for name in names:
            if name in known or name == "epochs":
                continue
            takers = draft.keys.methods_with(name)
            if takers:
                used = ", ".join(methods)
                yield Mistake((part, name), f"belongs to {', '.join(takers)}, but method is {used}")
            else:
                yield Mistake((part, name), f"unknown key {name!r}; {did_you_mean(name, known)}")


def _methods_exist(draft: Draft) -> Iterator[Mistake]:
    if draft.keys is None:
        return
    part = "params" if "method" in draft.space.params else "fixed"
    if part == "params" and not isinstance(draft.space.params["method"], Choice):
        yield Mistake((part, "method"), "must be a list of methods")
    for method in draft.methods:
        if isinstance(method, list):
            yield Mistake((part, "method"), "must be one method: several go under params", method)
        elif method not in NAMES:
            hint = did_you_mean(str(method), METHODS)
            yield Mistake((part, "method"), f"no method {method!r}; {hint}")


def _methods_take_their_params(draft: Draft) -> Iterator[Mistake]:
    """A parameter of some methods must not reach the others."""
    if draft.keys is None:
        return
    for part, names in (("params", draft.space.params), ("fixed", draft.space.fixed)):
        for name in names:
            takers = draft.keys.methods_with(name)
            users = draft.methods_using(name) if part == "params" else list(draft.methods)
            others = [user for user in users if user in NAMES and user not in takers]
            ours = [method for method in draft.methods if method in takers]
            if others and ours and name != "method":
                hint = f"when: {{method: [{', '.join(ours)}]}}"
                where = hint if part == "params" else f"params with {hint}"
                yield Mistake((part, name), f"{', '.join(others)} cannot take it: give it {where}")


def _values_are_possible(draft: Draft) -> Iterator[Mistake]:
    """Both ends of a range, every choice and every fixed value must be what its key can be."""
    if draft.keys is None:
        return
    for name, param in draft.space.params.items():
        found = [
            mistake
            for place, value in _probes(("params", name), param)
            for mistake in _value_is_possible(draft, name, place, value)
        ]
        if not found and isinstance(param, FloatRange) and param.values is None:
            inside = param.low + IRRATIONAL * (param.high - param.low)
            if any(_value_is_possible(draft, name, (), inside)):
                found = [Mistake(("params", name), "takes whole numbers only: add `type: int`")]
        yield from found
    for name, value in draft.space.fixed.items():
        yield from _value_is_possible(draft, name, ("fixed", name), value)


def _value_is_possible(
    draft: Draft, name: str, place: tuple[str | int, ...], value: Any
) -> Iterator[Mistake]:
    assert draft.keys is not None
    takers = draft.keys.methods_with(name)
    if takers and (rule := fault(draft.keys.of_method(takers[0])[name], value)):
        yield Mistake(place, rule, value)


def _probes(
    place: tuple[str | int, ...], param: Dimension | ByDepth
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
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


def _one_clock(draft: Draft) -> Iterator[Mistake]:
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


def _conditions_can_hold(draft: Draft) -> Iterator[Mistake]:
    for name, param in draft.space.params.items():
        for parent, values in param.when.items():
            place = ("params", name, "when", parent)
            others = [
                other for other in {**draft.space.params, **draft.space.fixed} if other != name
            ]
            if parent in draft.declared and parent not in draft.space.params:
                continue  # what is wrong with it is said elsewhere
            if parent not in others:
                rule = f"no other parameter {parent!r}; {did_you_mean(parent, others)}"
                yield Mistake(place, rule)
                continue
            yield from _values_can_be(draft, place, parent, values)


def _values_can_be(
    draft: Draft, place: tuple[str | int, ...], parent: str, values: tuple[Scalar, ...]
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


def _conditions_do_not_go_round(draft: Draft) -> Iterator[Mistake]:
    for name, param in draft.space.params.items():
        if any(name in draft.conditions(parent) for parent in param.when):
            yield Mistake(("params", name, "when"), f"{name} depends on itself")


def _said_once(draft: Draft) -> Iterator[Mistake]:
    for name in draft.space.fixed:
        if name in draft.declared:
            yield Mistake(("fixed", name), f"{name} stands under params too")
    for part, names in (("params", draft.declared), ("fixed", draft.space.fixed)):
        if "epochs" in names:
            yield Mistake((part, "epochs"), "the length of a training is budget.epochs")


def _grid_can_be_counted(draft: Draft) -> Iterator[Mistake]:
    if draft.space.sampler != "grid":
        return
    for name, dimension in draft.space.dimensions.items():
        if dimension.values is None:
            place = ("params", *name.split("."))
            yield Mistake(place, "the grid sampler needs step or choices, this is a range")


def _metrics_are_known(draft: Draft) -> Iterator[Mistake]:
    for n, objective in enumerate(draft.space.objectives):
        metric = objective.metric
        if draft.keys and direction_of(metric) is None and not metric.startswith("roaming/"):
            place = ("objective", n, "metric")
            yield Mistake(place, f"no metric {metric!r}; {did_you_mean(metric, KNOWN)}")
        if metric in [other.metric for other in draft.space.objectives[:n]]:
            yield Mistake(("objective", n), f"{metric} stands twice")


def _several_objectives(draft: Draft) -> Iterator[Mistake]:
    if len(draft.space.objectives) < 2:
        return
    if draft.space.pruner != "none":
        rule = "must be none where there are several objectives: no rule says which trial is behind"
        yield Mistake(("pruner",), rule, draft.space.pruner)
    if draft.space.sampler == "cmaes":
        yield Mistake(("sampler",), "cannot be cmaes where there are several objectives")


def _grace_ends(draft: Draft) -> Iterator[Mistake]:
    grace, epochs = draft.space.budget.grace, draft.space.budget.epochs
    if grace is not None and grace > epochs:
        yield Mistake(("budget", "grace"), f"must be at most budget.epochs = {epochs:g}", grace)


RULES: tuple[Callable[[Draft], Iterator[Mistake]], ...] = (
    _trainer_exists,
    _names_are_known,
    _methods_exist,
    _methods_take_their_params,
    _values_are_possible,
    _one_clock,
    _said_once,
    _conditions_can_hold,
    _conditions_do_not_go_round,
    _grid_can_be_counted,
    _metrics_are_known,
    _several_objectives,
    _grace_ends,
)
