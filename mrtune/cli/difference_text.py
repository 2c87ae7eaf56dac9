"""What one configuration has over another, in words."""

from math import inf, isnan
from typing import TYPE_CHECKING

from mrtune.cli import console
from mrtune.wording import chance, settings, signed, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mrtune.cli.contenders import Contender, Difference, Row

LEVEL = 0.05


def print_sides(contenders: "Sequence[Contender]") -> None:
    """Say what is compared with what."""
    out = console.stdout()
    for letter, contender in zip("AB", contenders, strict=True):
        trial = contender.configuration.trials[0]
        what = settings(trial.params or trial.setting)
        out.print(f"[bold]{letter}[/]  {contender.name}  {what}", soft_wrap=True, highlight=False)


def print_difference(found: "Difference", test: str) -> None:
    """Print a table of metrics, and a verdict on each."""
    from rich.table import Table

    from dashboards.parts.measure import SPLITS

    out = console.stdout()
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
    split = SPLITS[found.split]
    out.print(
        f"{split}, {n} seed{'s' * (n != 1)} in common{method}", highlight=False, soft_wrap=True
    )
    if found.delta_m is not None:
        of = ", ".join(found.delta_m_of)
        delta_m = signed(found.delta_m, digits=2)
        out.print(f"Δm of A over B: {delta_m} % ({of})", highlight=False, soft_wrap=True)
    least = len(found.rows) * 2 / 2**n
    if test == "signed-rank" and n > 1 and least >= LEVEL:
        rule = f"the signed-rank test gives no p below {chance(min(1.0, least))}"
        out.print(
            f"{n} seeds are too few to show anything: {rule}", highlight=False, soft_wrap=True
        )
    for row in found.rows:
        out.print(_verdict(row), highlight=False, soft_wrap=True)


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
    effect = abs(row.paired.effect)
    size = f"{effect:.1f} standard deviations of the differences"
    if effect == inf:
        size = "the same on every seed"
    return f"{row.metric}: A is {word} by {signed(row.difference)}, {size}"
