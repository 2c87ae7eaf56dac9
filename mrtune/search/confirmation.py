"""A winner and the default configuration, trained anew with seeds that the search has not seen."""

from dataclasses import replace
from typing import Any

from mrtune.errors import UsageError
from mrtune.search.space import Space, default_point
from mrtune.search.studies import OpenStudy, begin, reopen
from mrtune.study import StudyRecord, keys, study_names
from mrtune.study.lock import database_lock

QUEUED = "fixed_params"  # Optuna's name for what a queued trial will be
WINNER, DEFAULT = 0, 1  # the numbers of their first trials


def name_of(record: StudyRecord) -> str:
    """Name the study that confirms another one."""
    return f"{record.name}-confirmed"


def begun_before(opened: OpenStudy, record: StudyRecord, seeds: int) -> OpenStudy | None:
    """Open the study that confirms another one, if there is one; refuse what it is not about."""
    rivals, storage, name = _rivals(opened.space, record), opened.mirror.backend, name_of(record)
    if name not in study_names(storage):
        return None
    found = reopen(storage, name)
    _check_same(found, rivals[WINNER], seeds)
    return found


def confirmation_of(opened: OpenStudy, record: StudyRecord, seeds: int) -> OpenStudy:
    """Begin the study that confirms another one, or open it where it was begun before."""
    rivals, storage = _rivals(opened.space, record), opened.mirror.backend
    name, fresh = name_of(record), 1 + max(trial.seed for trial in record.trials)
    with database_lock(storage.engine):
        made = begun_before(opened, record, seeds)
        if made is None:
            settings = replace(opened.settings, trials=2, seed=fresh)
            provenance = opened.study.user_attrs.get(keys.PROVENANCE, {})
            made = begin(storage, name, _in_full(opened.space), settings, provenance)
            made.study.set_user_attr(keys.CONFIRMING, seeds)
        queued = len(made.study.get_trials(deepcopy=False))
        trainings = [(config, seed) for seed in range(seeds) for config in (WINNER, DEFAULT)]
        for config, seed in trainings[queued:]:
            about: dict[str, Any] = {keys.CONFIG: config, keys.SEED: made.settings.seed + seed}
            about |= {keys.DEFAULT: True} if config == DEFAULT else {}
            about |= {} if rivals[config] else {keys.SETTING: opened.space.config({})}
            made.study.enqueue_trial(rivals[config], about)
    return made


def _rivals(space: Space, record: StudyRecord) -> list[dict[str, Any]]:
    """Return the parameters of the winner and of the default; none if that is outside the space."""
    best, name = record.best, record.name
    if best is None or len(record.objectives) > 1:
        why = "no complete trial yet" if best is None else "several objectives, hence no winner"
        raise UsageError(f"{name} has {why}")
    winner, default = dict(best.trials[0].params), default_point(space) or {}
    if winner == default:
        raise UsageError(f"{name} has nothing to confirm: no configuration beats the default")
    return [winner, default]


def _in_full(space: Space) -> Space:
    """Return a space whose trials are all trained to their end; their seeds are queued."""
    whole = {"pruner": "none", "sampler": "random", "seeds": 1, "trials": 2}
    return Space.from_dict(space.to_dict() | whole)


def _check_same(known: OpenStudy, winner: dict[str, Any], seeds: int) -> None:
    """Refuse a confirmation of another winner, or with another number of seeds."""
    name, trials = known.study.study_name, known.study.get_trials(deepcopy=False)
    if trials and trials[WINNER].system_attrs.get(QUEUED) != winner:
        raise UsageError(f"{name} is about an earlier winner; `mrtune rm {name}` makes room")
    begun = known.study.user_attrs.get(keys.CONFIRMING, seeds)
    if begun != seeds:
        raise UsageError(f"--confirm-seeds must be {begun}, as {name} was begun, got {seeds}")
