import subprocess
import sys
from collections.abc import Callable

import click
import pytest

import mrtune as package
from mrtune import errors
from mrtune.cli import main
from tests.conftest import Outcome

HEAVY = ("torch", "torchvision", "ray", "optuna", "plotly", "numpy", "rich")


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["roam", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    ran = python(
        f"""
import sys
from mrtune.cli.main import main
try:
    main({arguments!r})
except SystemExit as stop:
    loaded = [name for name in {HEAVY!r} if name in sys.modules]
    sys.exit(f"imported {{loaded}}" if loaded or stop.code else 0)
"""
    )
    assert ran.returncode == 0, ran.stderr


def test_importing_mrtune_imports_nothing_heavy() -> None:
    ran = python(f"import sys, mrtune; sys.exit(any(name in sys.modules for name in {HEAVY!r}))")
    assert ran.returncode == 0


def test_every_command_is_listed_with_a_line_of_help(mrtune: Callable[..., Outcome]) -> None:
    code, out, _ = mrtune("--help")
    assert code == 0
    for name in main.COMMANDS:
        line = next(line for line in out.splitlines() if line.split()[:1] == [name])
        assert len(line.split()) > 3


def test_every_command_has_its_file() -> None:
    context = click.Context(main.root)
    for name in main.COMMANDS:
        command = main.root.get_command(context, name)
        assert command is not None
        assert command.name == name


def test_version(mrtune: Callable[..., Outcome]) -> None:
    assert mrtune("--version") == (0, f"mrtune, version {package.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["raom"], "No such command 'raom'"),
        (["roam", "--pp", "1"], "No such option"),
        (["roam", "--units", "many"], "'many' is not a valid integer"),
    ],
)
def test_a_usage_mistake_is_one_line_and_exit_code_2(
    mrtune: Callable[..., Outcome], arguments: list[str], message: str
) -> None:
    code, out, err = mrtune(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("mrtune: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (errors.MrtuneError("it broke"), 1),
        (errors.BrokenEnvironment("no ray"), 1),
        (errors.UsageError("not so"), 2),
        (errors.ParameterError("p", "a number from 0 to 1", 2), 2),
        (errors.TrialsFailed("3 of 12 trials failed"), 3),
        (KeyboardInterrupt(), 130),
        (click.exceptions.Abort(), 130),
    ],
)
def test_errors_become_exit_codes(
    mrtune: Callable[..., Outcome],
    monkeypatch: pytest.MonkeyPatch,
    raised: BaseException,
    code: int,
) -> None:
    def stumble() -> None:
        raise raised

    monkeypatch.setattr(main, "COMMANDS", (*main.COMMANDS, "stumble"))
    module = type(sys)("mrtune.cli.stumble")
    module.command = click.Command("stumble", callback=stumble)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mrtune.cli.stumble", module)
    outcome = mrtune("stumble")
    assert outcome.code == code
    assert outcome.err.strip().count("\n") == 0
    assert str(raised) in outcome.err


def test_a_bug_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main.root, "callback", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main.main(["doctor"])


@pytest.mark.slow
def test_a_reader_that_leaves_early_hears_no_complaint() -> None:
    ran = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m mrtune roam --units 400 --json | head -1"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.stdout.startswith('{"step": 0')
    assert ran.stderr == ""


def test_the_tree_of_errors_is_the_documented_one() -> None:
    names = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert all(name in (errors.__doc__ or "") for name in names)
    assert all(issubclass(getattr(errors, name), errors.MrtuneError) for name in names)
