"""`mrtune doctor`: does everything that mrtune needs work on this machine?"""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from mrtune.cli.findings import Finding, tell
from mrtune.cli.options import json_option

PACKAGES = ("torch", "ray", "optuna", "plotly", "click", "rich")
ABSENT = {"gpu": "none: CPU only", "torchvision": "not installed, and needed by nothing of ours"}


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Check that everything mrtune needs works on this machine."""
    tell(_examine(), as_json)


def _examine() -> Iterator[Finding]:
    """Yield a finding at a time, cheap ones first."""
    checks: tuple[tuple[str, Callable[[], str | None]], ...] = (
        ("packages", _versions),
        ("cpu", _cpu),
        ("torch", _torch),
        ("torchvision", _torchvision),
        ("gpu", _gpu),
        ("ray", _ray),
        ("storage", _storage),
    )
    for name, check in checks:
        try:
            detail = check()
        except Exception as error:  # whatever it is, it is the finding
            yield Finding(name, "broken", _explain(error))
        else:
            yield Finding(name, "ok" if detail else "absent", detail or ABSENT[name])
    yield from _data()


def _explain(error: Exception) -> str:
    """Say what is wrong, and for the known trouble also what mends it."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if "torchvision::" in text:
        text += (
            ". torch and torchvision come from different builds (one for CPU only, one with CUDA)."
            " Install both together from one index: uv pip install --reinstall torch torchvision"
        )
    return text


def _versions() -> str:
    from importlib.metadata import version

    found = [f"Python {platform.python_version()}", f"mrtune {version('mrtune')}"]
    return ", ".join(found + [f"{package} {version(package)}" for package in PACKAGES])


def _cpu() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB of memory, {platform.machine()}"


def _torch() -> str:
    import torch

    layer = torch.nn.Conv2d(3, 4, kernel_size=3)
    layer(torch.ones(1, 3, 8, 8)).sum().backward()
    return f"imports and trains a convolution with {torch.get_num_threads()} threads"


def _torchvision() -> str | None:
    from importlib.util import find_spec

    if not find_spec("torchvision"):
        return None
    import torch
    from torchvision.ops import nms

    kept = nms(torch.tensor([[0.0, 0.0, 1.0, 1.0]] * 2), torch.tensor([0.5, 1.0]), 0.5)
    if kept.tolist() != [1]:
        raise RuntimeError(f"torchvision::nms kept {kept.tolist()}, not [1]")
    return "imports and runs its compiled operators: networks of your own may come from it"


def _gpu() -> str | None:
    import torch

    if torch.backends.mps.is_available():
        return "Apple GPU (device mps)"
    return ", ".join(
        torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())
    )


def _ray() -> str:
    from mrtune.search.ray_sessions import run_one_task

    run_one_task()
    return "starts on this machine and runs a task in a worker"


def _storage() -> str:
    from mrtune.study.storage import check_writable

    with tempfile.TemporaryDirectory(prefix=".mrtune-doctor-", dir=".") as folder:
        check_writable(f"sqlite:///{folder}/study.db")
    return f"a study can be written to {Path.cwd()}"


def _data() -> Iterator[Finding]:
    from mrtune.data.roots import MARKERS, find, search_path

    for name in MARKERS:
        folder = find(name)
        if folder:
            yield Finding(f"data {name}", "ok", str(folder))
        else:
            looked = ", ".join(str(root / name) for root in search_path())
            yield Finding(
                f"data {name}", "absent", f"not found in {looked}; MRTUNE_DATA names other folders"
            )
