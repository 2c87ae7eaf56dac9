"""A training, as it shows on the terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from mrtune.cli import console

if TYPE_CHECKING:
    from mrtune.training.trainer import Trainer

Report = dict[str, float]
LEADING = ("epoch", "loss")
FINAL = ("val/", "test/")
HIDDEN = ("seconds", "images_per_s", "peak_memory_mb")  # from the lines, not from --json


@contextmanager
def view(trainer: "Trainer", seed: int, as_json: bool) -> Iterator[Callable[[Report], None]]:
    """Show a training while the block runs; the block is given what to call with each report."""
    if as_json:
        yield lambda report: console.print_json({"seed": seed, **report})
    elif console.stdout().is_terminal:
        with _bar(trainer, seed) as on_report:
            yield on_report
    else:
        yield lambda report: console.stdout().print(f"seed {seed}  {_line(report)}", soft_wrap=True)


@contextmanager
def _bar(trainer: "Trainer", seed: int) -> Iterator[Callable[[Report], None]]:
    """A bar that moves with every batch, where the trainer tells of batches, and with reports."""
    from mrtune.training import Training

    columns = (
        TextColumn("seed {task.fields[seed]}  epoch {task.completed:.2f}/{task.fields[epochs]}"),
        BarColumn(),
        TextColumn("loss {task.fields[loss]}  {task.fields[metric]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console.stdout(), transient=True) as progress:
        ours = trainer if isinstance(trainer, Training) else None
        total = ours.recipe.epochs if ours else None
        epochs = f"{total:g}" if total else "?"
        bar = progress.add_task("", total=total, seed=seed, epochs=epochs, loss="–", metric="")

        def on_report(report: Report) -> None:
            progress.console.print(_line(report), soft_wrap=True)
            metric = next((name for name in _shown(report) if name not in LEADING), None)
            text = f"{metric} {report[metric]:.4f}" if metric else ""
            progress.update(bar, completed=report["epoch"], metric=text)

        if ours:
            ours.on_batch = lambda epoch, loss: progress.update(
                bar, completed=epoch, loss=f"{loss:.4f}"
            )
        yield on_report


def _line(report: Report) -> str:
    """The metrics of a report that are about the whole, on one line."""
    return "  ".join(f"{name} {report[name]:.4g}" for name in _shown(report))


def _shown(report: Report) -> list[str]:
    names = [name for name in report if "/" not in name and name not in HIDDEN]
    return names + [name for name in report if name == "roaming/completion"]


def print_result(finals: list[Report], seeds: list[int], folder: Path, as_json: bool) -> None:
    """Print the last metrics, as mean ± std where there are several seeds.

    The table leaves out what is about a single task or attribute; --json has it all.
    """
    names = list(finals[0])
    means = {name: mean(final[name] for final in finals) for name in names}
    spreads = {
        name: stdev(final[name] for final in finals) if len(finals) > 1 else 0.0 for name in names
    }
    if as_json:
        result = {**means, "std": spreads, "seeds": seeds, "out": str(folder)}
        console.print_json(result)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric")
    table.add_column("mean ± std" if len(finals) > 1 else "value", justify="right")
    for name in (name for name in names if name.count("/") == name.startswith(FINAL)):
        spread = f" ± {spreads[name]:.2g}" if len(finals) > 1 else ""
        table.add_row(name, f"{means[name]:.4g}{spread}")
    out = console.stdout()
    out.print()
    out.print(table)
    out.print(f"\nReports and checkpoints are in {folder}.", soft_wrap=True)
