"""What roaming brings at each p, and at each setting of whatever else a grid varies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from dashboards.parts.grouping import (
    LEVEL,
    Run,
    by_seed,
    grouped,
    is_drawn,
    pooled,
    rounded,
    runs,
    summary,
)
from dashboards.parts.measure import Measure, objective_of
from mrtune.metrics import Paired, Summary, holm, paired
from mrtune.study import StudyRecord

STEP = 0.1  # to which values of p that were drawn from a range are rounded
OF_PARTITIONS = ("method", "p", "delta", "finish_at", "r", "selection")
Place = tuple[tuple[Any, ...], float]  # values of what else is varied, p


@dataclass(frozen=True)
class AtP:
    """Both kinds of partition at one p."""

    p: float
    others: tuple[Any, ...]  # values of what else a grid varies
    roaming: Summary | None
    fixed: Summary | None
    gain: Paired  # of roaming, over the seeds that both have; more is better
    p_holm: float  # corrected for all rows
    over_best: Paired  # the gain of roaming over the best fixed partition of all rows
    p_over_best: float  # corrected for all rows

    @property
    def difference(self) -> float:
        """The mean gain; NaN without a seed in common."""
        return self.gain.difference

    @property
    def significant(self) -> bool:
        """Whether the gain is more than chance."""
        return self.p_holm < LEVEL


@dataclass(frozen=True)
class RoamingPInfo:
    """What roaming brings at each p."""

    measure: Measure
    varied: tuple[str, ...]  # what else a grid varies
    at: tuple[AtP, ...]  # by the values of what else is varied, then by p
    best_fixed: AtP | None
    drawn: bool  # p is rounded to steps of 0.1
    pooled: bool  # a bar may be of several configurations
    left_out: int  # trials whose p is not one number


def info(record: StudyRecord, measure: Measure | None = None) -> RoamingPInfo:
    """Summarise complete trials with a partition by p, and by what else a grid varies."""
    measure = measure or objective_of(record)
    varied = _varied(record)
    partitioned = [run for run in runs(record, measure) if run.roams or run.fixed]
    known = [run for run in partitioned if run.p is not None]
    drawn = is_drawn(record, "p", [run.p for run in known if run.p is not None])

    def place(run: Run) -> Place | None:
        if run.p is None:
            return None
        others = tuple(run.setting.get(name) for name in varied)
        return others, rounded(run.p, STEP if drawn else None)

    roaming = grouped((run for run in known if run.roams), place)
    fixed = grouped((run for run in known if run.fixed), place)
    means = {at: summary(group).mean for at, group in fixed.items()}
    finite = [at for at, mean in means.items() if isfinite(mean)]
    best = max(finite, key=lambda at: measure.sign * means[at], default=None)
    ours, theirs = (
        {at: by_seed(group, measure.sign) for at, group in groups.items()}
        for groups in (roaming, fixed)
    )
    of_best = {} if best is None else theirs[best]
    places = sorted(roaming.keys() | fixed.keys(), key=_order)
    own = _corrected([paired(ours.get(at, {}), theirs.get(at, {})) for at in places])
    over_best = _corrected([paired(ours.get(at, {}), of_best) for at in places])
    rows = {
        at: AtP(
            at[1],
            at[0],
            summary(roaming[at]) if at in roaming else None,
            summary(fixed[at]) if at in fixed else None,
            *own[place],
            *over_best[place],
        )
        for place, at in enumerate(places)
    }
    return RoamingPInfo(
        measure=measure,
        varied=varied,
        at=tuple(rows.values()),
        best_fixed=None if best is None else rows[best],
        drawn=drawn,
        pooled=pooled([*roaming.values(), *fixed.values()]),
        left_out=len(partitioned) - len(known),
    )


def _varied(record: StudyRecord) -> tuple[str, ...]:
    """Name the parameters of a grid that both kinds of partition are trained with."""
    if record.space.get("sampler") != "grid":
        return ()
    return tuple(
        name
        for name, param in record.space["params"].items()
        if name not in OF_PARTITIONS and "method" not in param["when"] and _has_several(param)
    )


def _corrected(found: Sequence[Paired]) -> list[tuple[Paired, float]]:
    return list(zip(found, holm([of.p for of in found]), strict=True))


def _has_several(param: Mapping[str, Any]) -> bool:
    return len(param.get("choices", ())) > 1 or param.get("low") != param.get("high")


def _order(place: Place) -> tuple[list[tuple[bool, Any]], float]:
    """Sort numbers before words, which do not compare."""
    others, p = place
    told = [(isinstance(value, int | float), value) for value in others]
    return [(not number, value if number else str(value)) for number, value in told], p
