"""`mrtune roam`: what p, Δ and r do to a layer, or to the layers of a network."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mrtune.cli import console
from mrtune.cli.options import writing
from mrtune.errors import ParameterError, UsageError

if TYPE_CHECKING:
    from mrtune.roaming import Plan
    from mrtune.roaming.history import Moment


MOST_ENTRIES = 10_000_000  # of the partition of a simulated layer


@click.command("roam")
@click.option("--units", default=10, show_default=True, help="Units (filters) of the layer.")
@click.option("--tasks", default=2, show_default=True, help="Tasks that share it.")
@click.option("--p", default=0.6, show_default=True, help="Share of the units that a task holds.")
@click.option("--delta", type=float, help="Epochs from one swap to the next. [default: 1]")
@click.option("--finish-at", type=float, help="Instead of --delta: the epoch at which all is done.")
@click.option("--r", default=1.0, show_default=True, help="Share of the plan to carry out.")
@click.option("--seed", default=0, show_default=True, help="Fixes the partition and the swaps.")
@click.option("--init", default="exact", show_default=True, help="exact or bernoulli.")
@click.option("--selection", default="uniform", show_default=True, help="uniform or cosine.")
@click.option(
    "--coverage-guard/--no-coverage-guard",
    default=True,
    show_default=True,
    help="Keep every unit with a task.",
)
@click.option("--layers", help="resnet18 or segnet: forecast a whole network instead of a layer.")
@click.option("--epochs", type=float, help="Length of the training. [default: until all is done]")
@click.option("--batches", default=100, show_default=True, help="Batches in an epoch.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Draw into a page.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line and state.")
def command(
    units: int,
    tasks: int,
    p: float,
    delta: float | None,
    finish_at: float | None,
    r: float,
    seed: int,
    init: str,
    selection: str,
    coverage_guard: bool,
    layers: str | None,
    epochs: float | None,
    batches: int,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show how a layer's partition evolves under p, Δ and r."""
    from mrtune.cli import roam_text
    from mrtune.roaming import Plan
    from mrtune.roaming.checks import check_count, check_epochs
    from mrtune.roaming.history import simulate

    if delta is None and finish_at is None:
        delta = 1.0
    check_count("batches", batches)
    plan = Plan(batches_per_epoch=batches, delta=delta, finish_at=finish_at, r=r)
    if epochs is not None:
        check_epochs("epochs", epochs)
    if not 0 <= seed < 2**63:
        raise ParameterError("seed", "a whole number from 0 to 2⁶³ − 1", seed)
    if units * tasks > MOST_ENTRIES:
        raise ParameterError("units × tasks", f"at most {MOST_ENTRIES:,}", units * tasks)
    if layers is not None:
        _refuse_beside_layers(click.get_current_context())
        _forecast(layers, tasks, p, plan, epochs, as_json)
        return
    moments = simulate(
        units,
        tasks,
        p,
        plan,
        seed,
        init=init,
        selection=selection,
        coverage_guard=coverage_guard,
        epochs=epochs,
    )
    if as_json:
        roam_text.print_states(moments)
    else:
        roam_text.print_history(moments, plan)
    if html is not None:
        _write_page(moments, plan, html)


def _refuse_beside_layers(context: click.Context) -> None:
    """Refuse options that describe one layer, rather than pass over them."""
    for name in ("units", "seed", "init", "selection", "coverage_guard", "html"):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = name.replace("_", "-")
            raise UsageError(f"--layers forecasts a whole network: leave --{option} out")


def _forecast(
    network: str, tasks: int, p: float, plan: "Plan", epochs: float | None, as_json: bool
) -> None:
    from mrtune.cli import roam_text
    from mrtune.roaming.checks import check_choice
    from mrtune.roaming.forecast import forecast
    from mrtune.roaming.layouts import LAYOUTS

    check_choice("layers", network, LAYOUTS)
    predicted = forecast(LAYOUTS[network], tasks, p, plan, epochs)
    if as_json:
        for layer in predicted.layers:
            console.print_json(asdict(layer))
        whole = {"epochs": predicted.epochs, "end": predicted.end, "done": predicted.done}
        console.print_json({"network": network} | whole)
    else:
        roam_text.print_forecast(network, predicted)


def _write_page(moments: "list[Moment]", plan: "Plan", path: Path) -> None:
    from dashboards.roam import figure

    with writing("--html", path):
        path.write_text(figure(moments, plan).to_html(include_plotlyjs=True), encoding="utf-8")
    click.echo(f"The picture is in {path}: open it in a browser.", err=True)
