"""`mrtune data`: which data sets are here, and what to do about those that are not."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mrtune.cli import console
from mrtune.errors import MrtuneError

if TYPE_CHECKING:
    from mrtune.data.check import Report

NAMES = ("fashion", "celeba", "cityscapes", "nyuv2")
MOST_SHOWN = 10  # names of unreadable samples; --json has them all

name_argument = click.argument("name", type=click.Choice(NAMES))
root_option = click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="Folder of the data set; default: MRTUNE_DATA, ./data, ../shared/data.",
)
strict_option = click.option("--strict", is_flag=True, help="An unreadable sample is an error.")


@click.group("data", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show which data sets are here, where to get them, and prepare, check or generate one."""
    if context.invoked_subcommand is None:
        _overview()


@command.command("prepare")
@name_argument
@root_option
@strict_option
def prepare(name: str, root: Path | None, strict: bool) -> None:
    """Decode a data set once into memory maps that all trials share (done at first use too)."""
    from mrtune.data.sets import SETS

    with console.bar(f"preparing {name}") as progress:
        prepared = SETS[name].open(root, strict=strict, progress=progress)
    splits = ", ".join(f"{split} {len(where):,}" for split, where in prepared.splits.items())
    click.echo(f"{name}: {len(prepared):,} samples ({splits}) at {prepared.path}")
    if prepared.skipped:
        click.echo(f"{len(prepared.skipped)} skipped: {_some(list(prepared.skipped))}")


@command.command("check")
@name_argument
@root_option
@strict_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
def check(name: str, root: Path | None, strict: bool, as_json: bool) -> None:
    """Read every file of a data set and say what is missing, broken or odd."""
    from dataclasses import asdict

    from mrtune.data.check import check as examine
    from mrtune.data.sets import SETS

    source = SETS[name].source(root)
    with console.bar(f"checking {name}") as progress:
        report = examine(source, strict=strict, progress=progress)
    if as_json:
        console.print_json({"ready": report.ready, **asdict(report)})
    else:
        _print_report(report)
    if not report.ready:
        raise MrtuneError(f"{name} is not ready: {'; '.join(report.problems)}")


@command.command("generate")
@name_argument
@click.option("--to", required=True, type=click.Path(path_type=Path), help="A new folder.")
@click.option("--n", default=500, show_default=True, help="Samples.")
@click.option("--seed", default=0, show_default=True, help="The same seed draws the same data.")
def generate(name: str, to: Path, n: int, seed: int) -> None:
    """Write synthetic data in the official layout, to try things without the real data."""
    from mrtune.data.generate import generate as draw

    with console.bar(f"drawing {name}") as progress:
        draw(name, to, n, seed, progress)
    click.echo(f"{n:,} samples at {to}; `mrtune train {name} -S root={to}` learns from them")


@command.command("convert")
@click.argument("name", type=click.Choice(("cityscapes",)))
@click.option("--raw", required=True, type=click.Path(path_type=Path), help="The raw folders.")
@click.option("--to", required=True, type=click.Path(path_type=Path), help="A new folder.")
def convert(name: str, raw: Path, to: Path) -> None:
    """Convert raw Cityscapes (leftImg8bit, gtFine, disparity) to the layout that is read here.

    Images to 128×256; labels to 7 categories; depth is the raw disparity divided by 65535.
    """
    from mrtune.data.convert import convert_cityscapes

    with console.bar(f"converting {name}") as progress:
        counts = convert_cityscapes(raw, to, progress)
    click.echo(f"{counts['train']:,} train and {counts['val']:,} val scenes at {to}")


def _overview() -> None:
    from mrtune.data.sets import SETS, whereabouts

    for name, data in SETS.items():
        where = whereabouts(name)
        click.secho(f"{'✓' if where else '–'} {name}", bold=True, nl=False)
        click.echo(f"  {data.what}")
        click.echo(f"  here    {where or _not_found(name)}")
        click.echo(f"  get it  {data.get}")
        for number, line in enumerate(data.layout.splitlines()):
            click.echo(f"  {'' if number else 'layout':<6}  {line}")
        click.echo()
    click.echo("Layouts are of the folder <root>/<name>, or of --root itself.")
    click.echo("`mrtune data generate NAME --to DIR` writes synthetic data in any of them.")


def _not_found(name: str) -> str:
    from mrtune.data.roots import search_path

    looked = ", ".join(str(root / name) for root in search_path())
    return f"not found (looked at {looked}; MRTUNE_DATA names other folders)"


def _print_report(report: "Report") -> None:
    click.echo(f"{report.name} at {report.root}")
    for split, count in report.counts.items():
        click.echo(f"  {split:<10} {count:>9,}")
    click.echo(f"  {'unreadable':<10} {len(report.unreadable):>9,}")
    for sample, why in list(report.unreadable.items())[:MOST_SHOWN]:
        click.echo(f"    {sample}: {why}")
    if len(report.unreadable) > MOST_SHOWN:
        click.echo(f"    … and {len(report.unreadable) - MOST_SHOWN:,} more (--json has all)")
    for oddity in report.oddities:
        click.echo(f"  odd: {oddity}")
    for problem in report.problems:
        click.echo(f"  problem: {problem}")
    click.echo(f"  cache: {report.cache}")
    if report.ready:
        click.echo("ready")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_SHOWN:,} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(names[:MOST_SHOWN]) + more
