"""When a trial is stopped, and when a configuration is given another seed."""

from bisect import bisect_left, insort
from collections import defaultdict
from statistics import fmean

import optuna
from optuna.trial import FrozenTrial, TrialState

from mrtune.search.halving import Ladder, completion_ladder, epoch_ladder, judge
from mrtune.search.live import Live
from mrtune.search.outcome import Report
from mrtune.search.space import Space
from mrtune.study import keys
from mrtune.study.mirror import Mirror
from mrtune.study.records import Objective

COMPLETION = "roaming/completion"


class Rules:
    """The verdicts of a search space on its trials."""

    def __init__(self, space: Space, grace: float, mirror: Mirror) -> None:
        budget = space.budget
        self._pruner = space.pruner if len(space.objectives) == 1 else "none"
        self._objective = Objective(**space.objectives[0].model_dump())
        self._by_completion = budget.rungs == "completion"
        self._epochs = budget.epochs
        self._grace = grace
        self._reduction = budget.reduction
        self._seeds = space.seeds
        self._standings: dict[int, Standing] = defaultdict(Standing)  # at each rung
        self._mirror = mirror
        mirror.listen(self._hear)
        self._ladder: Ladder = (
            completion_ladder(budget.reduction)
            if self._by_completion
            else epoch_ladder(grace, budget.epochs, budget.reduction)
        )

    def hopeless(self, live: Live, report: Report) -> bool:
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
        return self._falls(live, report)

    def _falls(self, live: Live, report: Report) -> bool:
        epoch, value = report["epoch"], report[self._objective.metric]
        progress = report.get(COMPLETION, epoch / self._epochs) if self._by_completion else epoch
        due = self._ladder.due(len(live.rungs), progress)
        if due:
            self._mirror.look(live.trial.study._study_id)
        for rung in due:
            standing = self._standings[rung]
            same = standing.of(live.config, besides=live.trial.number)
            rivals = standing.means(besides=live.config)
            verdict = judge(value, rung, epoch, same, rivals, self._objective, self._reduction)
            live.pass_rung(verdict)
            standing.add(live.trial.number, live.config, value)
            if not verdict.kept:
                return True
        return False

    def deserves_seed(self, config: int, default: bool, study: optuna.Study) -> bool:
        """Whether a configuration whose seeds so far are complete is given another one.

        Where trials are pruned, only the default one is, and of the others with as many seeds the
        best `1 / reduction`; else all.
        """
        if self._seeds == 1:
            return False
        complete: dict[int, list[float]] = {}
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            complete.setdefault(trial.user_attrs[keys.CONFIG], []).append(trial.values[0])
        seeds = len(complete[config])
        if seeds >= self._seeds:
            return False
        if self._pruner == "none" or default:
            return True
        mean = fmean(complete.pop(config))
        rivals = [fmean(values[:seeds]) for values in complete.values() if len(values) >= seeds]
        return judge(mean, 0, 0.0, (), rivals, self._objective, self._reduction).kept

    def _hear(self, trial: FrozenTrial) -> None:
        """Note how far a trial has come."""
        for rung, verdict in enumerate(trial.user_attrs.get(keys.RUNGS, ())):
            config = trial.user_attrs[keys.CONFIG]
            self._standings[rung].add(trial.number, config, verdict["value"])


class Standing:
    """The values that trials had at a rung."""

    def __init__(self) -> None:
        self._values: dict[int, dict[int, float]] = defaultdict(dict)  # of a configuration's trials
        self._means: dict[int, float] = {}  # of configurations
        self._ranked: list[float] = []  # the means, sorted

    def add(self, trial: int, config: int, value: float) -> None:
        """Note that a trial has come here."""
        self._ranked = self.means(besides=config)
        self._values[config][trial] = value
        self._means[config] = fmean(self._values[config].values())
        insort(self._ranked, self._means[config])

    def of(self, config: int, besides: int) -> list[float]:
        """Return the values of a configuration, but for one trial."""
        values = self._values.get(config, {})
        return [value for trial, value in values.items() if trial != besides]

    def means(self, besides: int) -> list[float]:
        """Return the means over seeds of all configurations but one, sorted."""
        ranked = self._ranked.copy()
        if besides in self._means:
            del ranked[bisect_left(ranked, self._means[besides])]
        return ranked
