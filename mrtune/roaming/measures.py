"""What a partition looks like in numbers: coverage, overlap, visited share."""

from torch import Tensor


def orphans(active: Tensor) -> int:
    """Units that no task holds."""
    return int((~active.any(dim=0)).sum())


def coverage(active: Tensor) -> float:
    """Share of the units that at least one task holds."""
    return 1.0 - orphans(active) / active.shape[1]


def overlap(active: Tensor) -> float:
    """Share of the units that two tasks hold in common, averaged over pairs; NaN for one task.

    A unit with h holders is common to h·(h − 1) ordered pairs of tasks.
    """
    tasks, units = active.shape
    holders = active.sum(dim=0)
    common = int((holders * (holders - 1)).sum())
    return common / (tasks * (tasks - 1) * units) if tasks > 1 else float("nan")


def visited_share(visited: Tensor) -> float:
    """Share of the units that a task has visited, averaged over tasks."""
    return float(visited.double().mean())


def expected_visited_share(held: int, units: int, step: int) -> float:
    """Eq. 4: p + (1 − p)·r(c) with the p that whole units allow and r(c) = c / ((1 − p)·S)."""
    return min(1.0, (held + step) / units)
