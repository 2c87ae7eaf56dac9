"""`mrtune train`: one configuration, outside any search."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from mrtune.cli import console
from mrtune.cli.options import SEED
from mrtune.errors import UsageError

if TYPE_CHECKING:
    from mrtune.training import Trainer


@click.command("train")
@click.argument("workload")
@click.option("-S", "settings", multiple=True, metavar="KEY=VALUE", help="Set a parameter.")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of parameters; -S goes before it.",
)
@click.option("--seed", type=SEED, help="Seed of one training. [default: 0]")
@click.option("--seeds", type=click.IntRange(min=1), help="Train with this many seeds, from 0 on.")
@click.option("--device", help="cpu, cuda, cuda:1, … [default: a GPU if there is one]")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder to write to.")
@click.option("--resume", is_flag=True, help="Continue what is in --out.")
@click.option("--final", is_flag=True, help="Look at the test split too, at the very end.")
@click.option("--json", "as_json", is_flag=True, help="Reports as JSON lines, the result last.")
def command(
    workload: str,
    settings: tuple[str, ...],
    config: Path | None,
    seed: int | None,
    seeds: int | None,
    device: str | None,
    out: Path | None,
    resume: bool,
    final: bool,
    as_json: bool,
) -> None:
    """Train WORKLOAD (a name, or a trainer file) and print its metrics."""
    from mrtune.cli import train_text
    from mrtune.config import parse_setting
    from mrtune.strict_yaml import read_mapping
    from mrtune.training.resolve import load_trainer

    if seed is not None and seeds is not None:
        raise UsageError("give --seed or --seeds, not both")
    if resume and out is None:
        raise UsageError("--resume needs --out: the folder to continue")
    values: dict[str, Any] = read_mapping(config) if config else {}
    values |= dict(parse_setting(setting) for setting in settings)
    module = load_trainer(workload)
    folder = out or _free_folder(Path("mrtune_runs"), Path(workload).stem)
    chosen = list(range(seeds)) if seeds else [seed or 0]
    job = Job(workload, module, values, device or _best_device(), folder, resume, final, as_json)
    finals = [job.train(number) for number in chosen]
    train_text.print_result(finals, chosen, folder, as_json)


@dataclass(frozen=True)
class Job:
    """Trainings that differ in nothing but their seed."""

    workload: str
    module: ModuleType
    config: dict[str, Any]
    device: str
    folder: Path
    resume: bool
    final: bool
    as_json: bool

    def train(self, seed: int) -> dict[str, float]:
        """Train with one seed and return the last report."""
        from mrtune.cli import train_text
        from mrtune.data.source import watched
        from mrtune.training import run
        from mrtune.training.resolve import build_trainer

        folder = self.folder / f"seed-{seed}"
        with console.bar("preparing the data, this once") as progress, watched(progress):
            trainer = build_trainer(self.module, self.config, seed, self.device)
        _tell_skipped(trainer)
        record = {"workload": self.workload, "seed": seed, "config": self.config}
        run.prepare(folder, record, self.resume)
        with train_text.view(trainer, seed, self.as_json) as on_report:
            splits = ("val", "test") if self.final else ("val",)
            return run.run(trainer, folder, on_report, _tell_torn, splits)


def _tell_skipped(trainer: "Trainer") -> None:
    from mrtune.data import Prepared

    data = getattr(getattr(trainer, "workload", None), "data", None)
    if isinstance(data, Prepared) and data.skipped:
        console.stderr().print(
            f"{data.name}: {len(data.skipped)} of {len(data) + len(data.skipped)} samples cannot "
            f"be read and are skipped, the first is {data.skipped[0]}; "
            f"`mrtune data check {data.name}` names them all",
            soft_wrap=True,
        )


def _tell_torn(path: Path) -> None:
    console.stderr().print(f"{path} is torn and was passed over", soft_wrap=True)


def _best_device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _free_folder(parent: Path, stem: str) -> Path:
    """Name a new folder: stem-1, stem-2, …"""
    number = 1
    while (parent / f"{stem}-{number}").exists():
        number += 1
    return parent / f"{stem}-{number}"
