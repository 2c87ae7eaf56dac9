"""`mrtune schema`: what an editor needs to complete and check search spaces."""

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of search space files, for editors."""
    from mrtune.search.space.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
