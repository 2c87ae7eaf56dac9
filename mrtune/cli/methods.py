"""`mrtune methods`: the ways to train, and what each can be told."""

import click

from mrtune.cli import console


@click.command("methods")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line and method.")
def command(as_json: bool) -> None:
    """List the methods with their parameters."""
    from mrtune.methods import METHODS, PAPER

    for name, method in METHODS.items():
        about = (method.__doc__ or "").splitlines()[0]
        fields = method.model_fields
        if as_json:
            console.print_json(
                {
                    "name": name,
                    "about": about,
                    "paper": method in PAPER,
                    "parameters": {
                        key: {"default": field.default, "about": field.description}
                        for key, field in fields.items()
                    },
                }
            )
            continue
        extra = "" if method in PAPER else " [dim](needs mrtune\\[balancers])[/]"
        console.stdout().print(f"[bold]{name:<9}[/] {about}{extra}", soft_wrap=True)
        for key, field in fields.items():
            default = "" if field.default is None else f" [dim]\\[{field.default}][/]"
            line = f"          [cyan]{key}[/]: {field.description}{default}"
            console.stdout().print(line, soft_wrap=True)
