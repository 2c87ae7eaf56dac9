"""A study that is made longer: more configurations, or more trainings of each."""

from optuna.trial import FrozenTrial, TrialState

from mrtune.errors import UsageError
from mrtune.search.queue import queue_seed
from mrtune.search.rules import Rules
from mrtune.search.space import Space
from mrtune.search.studies import OpenStudy, reopen
from mrtune.study import keys
from mrtune.study.drivers import drivers_of
from mrtune.study.lock import study_lock


def extend(opened: OpenStudy, trials: int | None = None, seeds: int | None = None) -> OpenStudy:
    """Change the number of configurations to try, and of the trainings of each."""
    if trials is None and seeds is None:
        return opened
    study = opened.study
    if seeds is not None:
        with study_lock(opened.mirror.backend, study._study_id):
            check_seeds(opened, seeds)
            opened.mirror.refresh(study._study_id)
            longer = opened.space.to_dict() | {"seeds": seeds}
            if not _searched(opened):  # else whoever does queues them
                _queue_seeds(opened, Space.from_dict(longer))
            # Last, so that whoever is killed before can do it all again.
            study.set_user_attr(keys.SPACE, longer)
    if trials is not None:
        study.set_user_attr(keys.SETTINGS, opened.settings.to_dict() | {"trials": trials})
    return reopen(opened.mirror.backend, study.study_name)


def check_seeds(opened: OpenStudy, seeds: int) -> None:
    """Refuse fewer trainings of each configuration than a study has, and more while it runs."""
    name, known = opened.study.study_name, opened.space.seeds
    if seeds < known:
        raise UsageError(f"--seeds must be at least {known}, as {name} has, got {seeds}")
    if seeds > known and _searched(opened):
        raise UsageError(f"--seeds needs {name} to be at rest; it is being searched")


def _searched(opened: OpenStudy) -> bool:
    return any(driver.alive for driver in drivers_of(opened.study.user_attrs))


def _queue_seeds(opened: OpenStudy, longer: Space) -> None:
    """Queue the next seed of each configuration that a search with so many would give it to."""
    rules = Rules(longer, opened.settings.grace, opened.mirror)
    by_config: dict[int, list[FrozenTrial]] = {}
    for trial in opened.study.get_trials(deepcopy=False):
        by_config.setdefault(trial.user_attrs.get(keys.CONFIG, trial.number), []).append(trial)
    for config, trials in by_config.items():
        default = bool(trials[0].user_attrs.get(keys.DEFAULT))
        at_rest = all(trial.state == TrialState.COMPLETE for trial in trials)
        if at_rest and rules.deserves_seed(config, default, opened.study):
            queue_seed(opened.study, max(trials, key=lambda trial: trial.user_attrs[keys.SEED]))
