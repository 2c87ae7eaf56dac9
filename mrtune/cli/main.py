"""The `mrtune` command: finds its sub-commands lazily and turns errors into exit codes."""

import importlib
import keyword
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

import mrtune
from mrtune.errors import EXIT_INTERRUPTED, Mistakes, MrtuneError

COMMANDS = (
    *("search", "resume", "pause", "stop", "cancel"),
    *("dashboard", "report", "status", "ls", "show", "best", "compare", "logs"),
    *("export", "import", "rm", "paper", "train", "validate", "schema"),
    *("workloads", "methods", "data", "roam", "doctor", "cluster"),
)


class LazyGroup(click.Group):
    """A group whose command `name` is `mrtune.cli.name:command`, imported when it is asked for.

    Where Python keeps the name for itself, the module's ends with an underscore.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands in the order in which they are shown."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = f"mrtune.cli.{cmd_name}{'_' * keyword.iskeyword(cmd_name)}"
        command: click.Command = importlib.import_module(module).command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mrtune.__version__, prog_name="mrtune")
def root() -> None:
    """Tune partitioned multi-task networks: Maximum Roaming's p, Δ and r, searched for you."""


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its code: 0 fine, 1 failure, 2 usage, 3 failed trials, 130."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    try:
        code = root.main(args=argv, prog_name="mrtune", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.format_message())
        code = 2
    except click.ClickException as error:
        code = _explain(error.format_message(), error.exit_code)
    except Mistakes as error:
        code = max(_explain(line, error.exit_code) for line in error.lines)
    except MrtuneError as error:
        code = _explain(str(error), error.exit_code)
    except (KeyboardInterrupt, click.exceptions.Abort):
        code = _explain("interrupted", EXIT_INTERRUPTED)
    sys.exit(code)


def _explain(message: str, code: int) -> int:
    """Say in one line on stderr what went wrong, and pass the exit code on."""
    click.echo(f"mrtune: {' '.join(message.split())}", err=True)
    return code
