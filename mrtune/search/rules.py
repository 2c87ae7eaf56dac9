"""When a trial is stopped, and when a configuration is given another seed."""

from collections.abc import Sequence
from statistics import fmean

import optuna
from optuna.trial import FrozenTrial, TrialState

from mrtune.search.halving import Ladder, completion_ladder, epoch_ladder, judge
from mrtune.search.live import Live
from mrtune.search.outcome import Report
from mrtune.search.space import Space
from mrtune.study import keys
from mrtune.study.records import Objective

COMPLETION = "roaming/completion"


class Rules:
    """The verdicts of a search space on its trials."""

    def __init__(self, space: Space, grace: float) -> None:
        budget = space.budget
        self._pruner = space.pruner if len(space.objectives) == 1 else "none"
        self._objective = Objective(**space.objectives[0].model_dump())
        self._by_completion = budget.rungs == "completion"
        self._epochs = budget.epochs
        self._grace = grace
        self._reduction = budget.reduction
        self._seeds = space.seeds
        self._ladder: Ladder = (
            completion_ladder(budget.reduction)
            if self._by_completion
            else epoch_ladder(grace, budget.epochs, budget.reduction)
        )

    def hopeless(self, live: Live, report: Report, study: optuna.Study) -> bool:
        """Whether a trial should be stopped after a report.

        Nobody is judged within the grace, nor by a plan of which no swap is made yet; the default
        configuration never is, since all are compared with it.
        """
        epoch = report["epoch"]
        if self._pruner == "none" or live.default or epoch >= self._epochs - 1e-9:
            return False
        if epoch < self._grace - 1e-9 or report.get(COMPLETION) == 0:
            return False
        if self._pruner != "asha":
            return live.trial.should_prune()
        return self._falls(live, report, study)

    def _falls(self, live: Live, report: Report, study: optuna.Study) -> bool:
        epoch, value = report["epoch"], report[self._objective.metric]
        progress = report.get(COMPLETION, epoch / self._epochs) if self._by_completion else epoch
        for rung in self._ladder.due(len(live.rungs), progress):
            trials = study.get_trials(deepcopy=False)
            others = rung_values(trials, rung, live.trial.number)
            verdict = judge(
                live.config, value, rung, epoch, others, self._objective, self._reduction
            )
            live.pass_rung(verdict)
            if not verdict.kept:
                return True
        return False

    def deserves_seed(self, live: Live, study: optuna.Study) -> bool:
        """Whether a configuration whose seeds so far are complete is given another one.

        Where trials are pruned, only the default one is, and of the others with as many seeds the
        best `1 / reduction`; else all.
        """
        if self._seeds == 1:
            return False
        complete: dict[int, list[float]] = {}
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            complete.setdefault(trial.user_attrs[keys.CONFIG], []).append(trial.values[0])
        seeds = len(complete[live.config])
        if seeds >= self._seeds:
            return False
        if self._pruner == "none" or live.default:
            return True
        rivals = {c: values[:seeds] for c, values in complete.items() if len(values) >= seeds}
        mean = fmean(rivals.pop(live.config))
        verdict = judge(live.config, mean, 0, 0.0, rivals, self._objective, self._reduction)
        return verdict.kept


def rung_values(trials: Sequence[FrozenTrial], rung: int, besides: int) -> dict[int, list[float]]:
    """Return the values at a rung of all trials but one, by configuration."""
    values: dict[int, list[float]] = {}
    for trial in trials:
        rungs = trial.user_attrs.get(keys.RUNGS, ())
        if len(rungs) > rung and trial.number != besides:
            values.setdefault(trial.user_attrs[keys.CONFIG], []).append(rungs[rung]["value"])
    return values
