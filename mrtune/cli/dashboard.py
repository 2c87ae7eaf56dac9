"""`mrtune dashboard`: the studies of a storage in a browser, live."""

import secrets

import click

from mrtune.cli import console
from mrtune.cli.options import opened, storage_option, study_argument
from mrtune.errors import UsageError


@click.command("dashboard")
@study_argument("[STUDY]", required=False)
@storage_option
@click.option("--port", type=click.IntRange(0, 65535), default=8050, show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--no-token", is_flag=True, help="Let everybody on this machine in.")
def command(name: str | None, storage: str, port: int, host: str, no_token: bool) -> None:
    """Show all studies, or STUDY, in a browser while searches go on. Ctrl-C ends it."""
    from dashboards.app.security import check_host
    from dashboards.app.server import serve
    from dashboards.parts.links import study_link
    from mrtune.study import load_study

    token = None if no_token else secrets.token_urlsafe(18)
    check_host(host, token)
    with opened(storage) as database:
        page = "/" if name is None else study_link(load_study(database, name).study_name)
        try:
            server = serve(database, host, port, token)
        except OSError as error:
            raise UsageError(f"cannot listen on {host}, port {port}: {error.strerror}") from None
        shown = f"[{host}]" if ":" in host else host
        ticket = "" if token is None else f"?token={token}"
        url = f"http://{shown}:{server.port}{page}{ticket}"
        console.stdout().print(f"The dashboard is at {url}", soft_wrap=True, markup=False)
        console.stdout().print("Ctrl-C ends it; searches go on.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            console.stdout().print("The dashboard is closed.")
        finally:
            server.server_close()
