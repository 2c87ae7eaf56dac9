"""The roaming of a layer or a network, as text."""

from typing import TYPE_CHECKING

from rich.table import Table

from mrtune.cli import console

if TYPE_CHECKING:
    from mrtune.roaming import Plan
    from mrtune.roaming.forecast import Forecast
    from mrtune.roaming.history import Moment

MOST_ROWS = 24  # in the table of states; --json and --html show every state
NUMBERS_WIDTH = 52  # of the table without the drawing of the units
GLYPHS = ("·", "○", "■", "[bold green]◆[/]")  # by status: UNVISITED, LEFT, HELD, ENTERED
LEGEND = "■ held   [bold green]◆[/] entered just now   ○ visited and left   · not visited yet"


def print_states(moments: "list[Moment]") -> None:
    """Print one JSON object per state; `relaxed` counts from the start."""
    for moment in moments:
        state = moment.state
        console.print_json(
            {
                "step": state.step,
                "active": [row.nonzero().flatten().tolist() for row in state.active],
                "visited": [row.nonzero().flatten().tolist() for row in state.visited],
                "relaxed": state.relaxed,
            }
        )


def print_history(moments: "list[Moment]", plan: "Plan") -> None:
    """Print how a layer's partition evolves, a row per state."""
    first, last = moments[0], moments[-1]
    tasks, units = first.state.active.shape
    held = first.state.active.sum(dim=1)
    swaps = int(first.state.planned(plan).max())
    size = f"{held.min()}" if held.min() == held.max() else f"{held.min()} to {held.max()}"
    out = console.stdout()
    drawn = NUMBERS_WIDTH + tasks * (max(units, len("task 0")) + 2) <= out.width
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("step", justify="right")
    table.add_column("epoch", justify="right")
    for task in range(tasks if drawn else 0):
        table.add_column(f"task {task}", no_wrap=True)
    for name in ("coverage", "overlap", "visited", "Eq. 4"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = _thin(moments)
    for moment in shown:
        table.add_row(
            str(moment.state.step),
            f"{moment.epoch:g}",
            *(["".join(GLYPHS[s] for s in row) for row in moment.status.tolist()] * drawn),
            f"{moment.coverage:.1%}",
            "–" if tasks == 1 else f"{moment.overlap:.3f}",
            f"{moment.visited:.1%}",
            f"{moment.expected:.1%}",
        )
    what = f"{_count(units, 'unit')}, {_count(tasks, 'task')}, each holds {size}. "
    out.print(what + _course(plan, swaps), soft_wrap=True)
    out.print()
    out.print(table)
    out.print()
    if drawn:
        out.print(LEGEND)
    if len(shown) < len(moments):
        out.print(f"{len(shown)} of {len(moments)} states shown; --json prints them all.")
    out.print(_verdict(last, plan, swaps), soft_wrap=True)


def _thin(moments: "list[Moment]") -> "list[Moment]":
    """Keep evenly spaced states, the first and the last among them."""
    if len(moments) <= MOST_ROWS:
        return moments
    gaps = MOST_ROWS - 1
    return [moments[round(i * (len(moments) - 1) / gaps)] for i in range(MOST_ROWS)]


def _count(number: float, noun: str) -> str:
    plural = {"batch": "batches"}.get(noun, f"{noun}s")
    return f"{number:g} {noun if number == 1 else plural}"


def _course(plan: "Plan", swaps: int) -> str:
    if not swaps:
        return "There is nothing to swap."
    iterations = plan.interval(swaps)
    every = (
        f"{_count(iterations / plan.batches_per_epoch, 'epoch')} ({_count(iterations, 'batch')})"
    )
    return f"Every {every} a task swaps one unit; {_count(swaps, 'swap')} and the plan is done."


def _verdict(last: "Moment", plan: "Plan", swaps: int) -> str:
    if last.state.step == swaps:
        verdict = f"The plan is done at epoch {last.epoch:g}"
    else:
        verdict = (
            f"[yellow]{last.state.step} of {swaps} swaps are done when training ends; "
            f"the plan needs {plan.end(swaps):g} epochs[/]"
        )
    verdict += f", {last.visited:.0%} of the units visited by each task on average."
    if last.state.relaxed:
        verdict += (
            f"\n[yellow]{_count(last.state.relaxed, 'swap')} left a unit without a task: "
            "so close to 1/tasks, p leaves no other way.[/]"
        )
    return verdict + _missed(plan, plan.end(swaps), swaps)


def _missed(plan: "Plan", end: float, swaps: int) -> str:
    """Warn of a plan that cannot be done by the epoch that it was to be done at."""
    if plan.finish_at is None or end <= plan.finish_at + 1 / plan.batches_per_epoch:
        return ""
    return (
        f"\n[yellow]It cannot be done by epoch {plan.finish_at:g}: {_count(swaps, 'swap')}, one a "
        f"batch at most, take {end:g} epochs of {_count(plan.batches_per_epoch, 'batch')}.[/]"
    )


def print_forecast(network: str, predicted: "Forecast") -> None:
    """Print when each layer of a network is through, and what is done when training ends."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("layer", no_wrap=True)
    for name in ("units", "held", "swaps", "batches/swap", "ends", f"done at {predicted.epochs:g}"):
        table.add_column(name, justify="right", no_wrap=True)
    for layer in predicted.layers:
        table.add_row(
            layer.name,
            str(layer.units),
            str(layer.held),
            str(layer.swaps),
            f"{layer.interval:g}",
            f"{layer.end:.2f}",
            f"{layer.done:.0%}",
        )
    out = console.stdout()
    out.print(table)
    out.print()
    out.print(
        f"{network}: the plan ends at epoch [bold]{predicted.end:.2f}[/]; "
        f"at epoch {predicted.epochs:g}, [bold]{predicted.done:.1%}[/] of it is done.",
        soft_wrap=True,
    )
    plan = predicted.plan
    most = max(layer.swaps for layer in predicted.layers)
    if missed := _missed(plan, predicted.end, most):
        out.print(missed.strip(), soft_wrap=True)
    if predicted.end > predicted.epochs:
        fits = plan.finish_at is None and most <= plan.iterations(predicted.epochs)
        hint = f" --finish-at {predicted.epochs:g} would fit it in." if fits else ""
        out.print(f"[yellow]Training ends before the plan does.{hint}[/]", soft_wrap=True)
