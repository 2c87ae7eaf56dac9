"""What one configuration has over another, in words."""

from math import isnan
from typing import TYPE_CHECKING

from mrtune.cli import console
from mrtune.wording import chance, settings, signed, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mrtune.cli.contenders import Contender, Difference, Row

LEVEL = 0.05


def print_difference(contenders: "Sequence[Contender]", found: "Difference", test: str) -> None:
    """Print both sides, a table of metrics, and a verdict on each."""
    from rich.table import Table

    out = console.stdout()
    for letter, contender in zip("AB", contenders, strict=True):
        what = settings(contender.configuration.trials[0].params)
        out.print(f"[bold]{letter}[/]  {contender.name}  {what}", soft_wrap=True, highlight=False)
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric", overflow="fold")
    for title in ("A", "B", "A − B", "95 % interval", "p"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in found.rows:
        told = row.paired
        table.add_row(
            row.metric,
            spread(row.a.mean, row.a.std),
            spread(row.b.mean, row.b.std),
            signed(row.difference),
            f"{signed(row.low)} … {signed(row.high)}" if told.n > 1 else "–",
            chance(row.p_holm),
        )
    out.print(table)
    out.print()
    n = found.rows[0].paired.n
    corrected = f", corrected for {len(found.rows)} metrics" * (len(found.rows) > 1)
    method = f", paired {test} test{corrected}" * (n > 1)
    out.print(f"{n} seed{'s' * (n != 1)} in common{method}", highlight=False)
    if found.delta_m is not None:
        out.print(f"Δm of A over B: {found.delta_m:+.2f} %", highlight=False)
    for row in found.rows:
        out.print(_verdict(row), highlight=False)


def is_certain(row: "Row") -> bool:
    """Whether a difference is beyond chance."""
    return row.paired.n > 1 and row.p_holm < LEVEL


def _verdict(row: "Row") -> str:
    if row.paired.n < 2:
        return f"{row.metric}: one seed tells nothing about chance; train more of them"
    if isnan(row.paired.difference):
        return f"{row.metric}: nothing can be said, for it is no number in some training"
    if not is_certain(row):
        return f"{row.metric}: no difference beyond chance"
    word = "better" if row.paired.difference > 0 else "worse"
    size = f"{abs(row.paired.effect):.1f} standard deviations of the differences"
    return f"{row.metric}: A is {word}, by {size}"
