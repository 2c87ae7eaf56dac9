"""`mrtune validate`: is a search space sound, and what does it amount to?"""

import click

from mrtune.cli import console


@click.command("validate")
@click.argument("space", metavar="FILE|NAME")
@click.option(
    "-S",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set any value, dotted: params.p.low=0.2; params.p=null drops p from the search.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(space: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Check a search space, every mistake at once, and say what it amounts to."""
    from mrtune.cli import space_text
    from mrtune.config import parse_setting
    from mrtune.search.space import load_space, outlook_of

    loaded = load_space(space, [parse_setting(setting) for setting in settings])
    outlook = outlook_of(loaded)
    if as_json:
        console.print_json({"space": loaded.to_dict(), **outlook.to_dict()})
    else:
        space_text.print_space(loaded, outlook)
