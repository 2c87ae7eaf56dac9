"""`mrtune workloads`: what ships ready to be trained and searched."""

import click

from mrtune.cli import console


@click.command("workloads")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line and workload.")
def command(as_json: bool) -> None:
    """List the workloads, and whether their data is here."""
    from mrtune.data.sets import whereabouts
    from mrtune.training.resolve import load_trainer, trainer_names

    for name in trainer_names():
        module = load_trainer(name)
        about = (module.__doc__ or "").splitlines()[0]
        data = whereabouts(name)
        if as_json:
            defaults = getattr(module, "DEFAULTS", {})
            console.print_json({"name": name, "about": about, "data": data, "defaults": defaults})
            continue
        mark = "[green]✓[/]" if data else "[dim]–[/]"
        console.stdout().print(f"{mark} [bold]{name:<11}[/] {about}", soft_wrap=True)
        where = f"data: {data}" if data else "data: not found (`mrtune data` says where to get it)"
        console.stdout().print(f"  {'':<11} [dim]{where}[/]", soft_wrap=True)
