"""The parts of a search space must fit each other."""

from collections.abc import Iterator

from mrtune.config import did_you_mean
from mrtune.errors import UsageError
from mrtune.search.space.mistake import Mistake
from mrtune.search.space.objective import KNOWN, direction_of
from mrtune.search.space.rules.draft import Draft
from mrtune.training.resolve import load_trainer, trainer_names


def trainer_exists(draft: Draft) -> Iterator[Mistake]:
    """A trainer must ship with mrtune, or be a file."""
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


def said_once(draft: Draft) -> Iterator[Mistake]:
    """A parameter must not be searched and fixed, nor the budget be said again."""
    for name in draft.space.fixed:
        if name in draft.declared:
            yield Mistake(("fixed", name), f"{name} stands under params too")
    for part, names in (("params", draft.declared), ("fixed", draft.space.fixed)):
        if "epochs" in names:
            yield Mistake((part, "epochs"), "the length of a training is budget.epochs")


def grid_can_be_counted(draft: Draft) -> Iterator[Mistake]:
    """A grid must have an end."""
    if draft.space.sampler != "grid":
        return
    for name, dimension in draft.space.dimensions.items():
        if dimension.values is None:
            place = ("params", *name.split("."))
            yield Mistake(place, "the grid sampler needs step or choices, this is a range")


def metrics_are_known(draft: Draft) -> Iterator[Mistake]:
    """A trainer of ours must report the metric, and one metric is one objective."""
    for n, objective in enumerate(draft.space.objectives):
        metric = objective.metric
        if draft.keys and direction_of(metric) is None and not metric.startswith("roaming/"):
            place = ("objective", n, "metric")
            yield Mistake(place, f"no metric {metric!r}; {did_you_mean(metric, KNOWN)}")
        if metric in [other.metric for other in draft.space.objectives[:n]]:
            yield Mistake(("objective", n), f"{metric} stands twice")


def several_objectives(draft: Draft) -> Iterator[Mistake]:
    """Where objectives are several, no trial can be stopped for one of them."""
    if len(draft.space.objectives) < 2:
        return
    if draft.space.pruner != "none":
        rule = "must be none where there are several objectives: no rule says which trial is behind"
        yield Mistake(("pruner",), rule, draft.space.pruner)
    if draft.space.sampler == "cmaes":
        yield Mistake(("sampler",), "cannot be cmaes where there are several objectives")


def grace_ends(draft: Draft) -> Iterator[Mistake]:
    """The grace must end within the budget."""
    grace, epochs = draft.space.budget.grace, draft.space.budget.epochs
    if grace is not None and grace > epochs:
        yield Mistake(("budget", "grace"), f"must be at most budget.epochs = {epochs:g}", grace)
