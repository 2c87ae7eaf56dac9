"""The experiments of the paper: which grid each one is, and what it asks."""

from dataclasses import dataclass

from mrtune.errors import UsageError
from mrtune.search.space.files import space_names

SMALL = ("fashion",)  # workloads whose grids suit two cores as they are


@dataclass(frozen=True)
class Experiment:
    """A figure or a table of the paper."""

    name: str
    question: str
    grid: str  # the end of the name of its search space
    page: str  # of the dashboard, which shows it
    workloads: tuple[str, ...] = ("celeba", "fashion")


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("p", "does roaming beat a fixed partition, at every p?", "p", "roaming-p"),
        Experiment("p-long", "does it at a low p, trained longer?", "p_long", "roaming-p"),
        Experiment(
            "p-plateau", "does it at a low p, trained to the plateau?", "p_plateau", "roaming-p"
        ),
        Experiment("p-steps", "does it at a low p, with other steps?", "p_steps", "roaming-p"),
        Experiment("p-norms", "does it at a low p, with other norms?", "p_norms", "roaming-p"),
        Experiment("delta-r", "which Δ and r are good, at p = 0.5?", "delta_r", "delta-r"),
        Experiment("selection", "random units, or similar ones?", "selection", "selection"),
        Experiment(
            "benchmark",
            "which method is best?",
            "benchmark",
            "benchmark",
            ("celeba", "cityscapes", "nyuv2", "fashion"),
        ),
        Experiment("attributes", "which attributes gain?", "benchmark", "attributes"),
    )
}


def space_of(experiment: Experiment, workload: str, scale: str) -> str:
    """Name the search space of an experiment on a workload."""
    known = workloads_of(experiment, scale)
    if not known:
        other = "full" if scale == "small" else "small"
        raise UsageError(f"{experiment.name} has a grid at scale {other} only: add --scale {other}")
    if workload not in known:
        rule = f"one that {experiment.name} has a grid for at scale {scale} ({', '.join(known)})"
        raise UsageError(f"--workload must be {rule}, got {workload!r}")
    return _grid(experiment, workload, scale)


def workloads_of(experiment: Experiment, scale: str) -> list[str]:
    """Name the workloads that an experiment has a grid for."""
    known = space_names()
    return [w for w in experiment.workloads if _grid(experiment, w, scale) in known]


def _grid(experiment: Experiment, workload: str, scale: str) -> str:
    small = "_small" if scale == "small" and workload not in SMALL else ""
    return f"{workload}{small}_{experiment.grid}"


def study_of(experiment: Experiment, workload: str, scale: str) -> str:
    """Name the study of an experiment; two that are of one grid share it."""
    grid = experiment.grid.replace("_", "-")
    return f"paper-{grid}-{workload}" + ("-small" if scale == "small" else "")
