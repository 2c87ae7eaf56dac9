"""Two objectives against each other, and the trials that no other beats in both."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dashboards.parts.ranking import evenly
from dashboards.theme import BLUE, GREEN, escape, faded, plain
from mrtune.study import Objective, StudyRecord, TrialRecord

MOST_POINTS = 600


@dataclass(frozen=True)
class ParetoInfo:
    """Complete trials by their two values."""

    objectives: tuple[Objective, Objective]
    front: tuple[TrialRecord, ...]  # from the best in the first objective to that in the second
    others: tuple[TrialRecord, ...]


def pareto_info(record: StudyRecord, trials: list[TrialRecord]) -> ParetoInfo:
    """Find the front of the first two objectives."""
    first, second = record.objectives[:2]
    complete = [
        t for t in trials if t.state == "complete" and t.values and np.isfinite(t.values).all()
    ]
    costs = {t.number: (_cost(first, t, 0), _cost(second, t, 1)) for t in complete}
    front = []
    lowest = float("inf")
    for trial in sorted(complete, key=lambda t: costs[t.number]):
        if costs[trial.number][1] < lowest:
            lowest = costs[trial.number][1]
            front.append(trial)
    kept = {trial.number for trial in front}
    others = evenly([trial for trial in complete if trial.number not in kept], MOST_POINTS)
    return ParetoInfo((first, second), tuple(front), tuple(others))


def pareto_figure(info: ParetoInfo) -> go.Figure:
    """Draw all complete trials, and the front as steps: beyond them nothing has been reached."""
    result = go.Figure()
    one, two = info.objectives
    looks = (
        ("beaten in both", info.others, {"color": faded(BLUE, 0.45), "size": 7}),
        ("front", info.front, {"color": GREEN, "size": 11, "symbol": "diamond"}),
    )
    for name, trials, marker in looks:
        result.add_scatter(
            x=[t.values[0] for t in trials if t.values],
            y=[t.values[1] for t in trials if t.values],
            customdata=[t.number for t in trials],
            mode="markers" if name != "front" else "lines+markers",
            line={"shape": "hv", "color": GREEN, "width": 1.5, "dash": "dot"},
            marker=marker,
            name=name,
            hovertemplate="trial %{customdata}: %{x:.4f}, %{y:.4f}<extra></extra>",
        )
    return plain(result, x=_title(one), y=_title(two), height=440)


def _cost(objective: Objective, trial: TrialRecord, place: int) -> float:
    assert trial.values is not None
    value = trial.values[place]
    return -value if objective.direction == "maximize" else value


def _title(objective: Objective) -> str:
    arrow = "→ more" if objective.direction == "maximize" else "← less"
    return f"{escape(objective.metric)} ({arrow} is better)"
