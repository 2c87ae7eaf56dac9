"""A search space, as text."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from mrtune.cli import console

if TYPE_CHECKING:
    from mrtune.search.space import Outlook, Space
    from mrtune.search.space.dimension import Dimension


def print_space(space: "Space", outlook: "Outlook") -> None:
    """Print what is searched, at what cost, and how far roaming gets."""
    out = console.stdout()
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, text in _summary(space, outlook).items():
        table.add_row(f"[bold]{name}[/]", escape(text))
    out.print(table)
    out.print()
    out.print(_parameters(space))
    for warning in outlook.warnings:
        out.print(f"[yellow]warning: {escape(warning)}[/]", soft_wrap=True)


def _summary(space: "Space", outlook: "Outlook") -> dict[str, str]:
    budget, resources = space.budget, space.resources
    memory = f", {resources.memory:g} GiB" if resources.memory else ""
    rows = {
        "trainer": space.trainer,
        "objective": ", ".join(f"{o.metric} ({o.direction})" for o in space.objectives),
        "search": f"{_count(space.trials, 'configuration')} by {space.sampler}, "
        f"{_count(space.seeds, 'seed')} each",
        "budget": f"{budget.epochs:g} epochs a training" + _pruning(space, outlook),
        "resources": f"CPUs {resources.cpus:g}, GPUs {resources.gpus:g}{memory} a training",
        "fixed": _settings(space.fixed),
        "typical": _settings(outlook.typical),
    }
    if outlook.end is not None and outlook.done is not None:
        rows["roaming"] = (
            f"the typical plan ends at epoch {outlook.end:.3g}, {outlook.done:.0%} done in time"
        )
    return {name: text for name, text in rows.items() if text}


def _pruning(space: "Space", outlook: "Outlook") -> str:
    if space.pruner == "none":
        return ", none is stopped early"
    return f"; {space.pruner} stops none before epoch {outlook.grace:.3g}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _settings(config: Mapping[str, Any]) -> str:
    return "  ".join(f"{key}={_value(value)}" for key, value in config.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_value(inner)}" for key, inner in value.items()) + "}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _parameters(space: "Space") -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("parameter", no_wrap=True)
    table.add_column("values")
    conditional = any(dimension.when for dimension in space.dimensions.values())
    if conditional:
        table.add_column("when")
    for name, dimension in space.dimensions.items():
        conditions = (
            f"{other} is {' or '.join(map(_value, values))}"
            for other, values in dimension.when.items()
        )
        row = [name, _extent(dimension), ", ".join(conditions)]
        table.add_row(*map(escape, row if conditional else row[:2]))
    return table


def _extent(dimension: "Dimension") -> str:
    from mrtune.search.space.dimension import Choice

    if isinstance(dimension, Choice):
        return ", ".join(_value(value) for value in dimension.choices)
    kind = " (log)" if dimension.log else ""
    step = f" by {_value(dimension.step)}" if dimension.step not in (None, 1) else ""
    whole = ", whole" if dimension.type == "int" else ""
    return f"{_value(dimension.low)} to {_value(dimension.high)}{step}{kind}{whole}"
