"""Reads studies out of a storage."""

from collections.abc import Mapping
from typing import Any

import optuna
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial

from mrtune.config import did_you_mean
from mrtune.errors import UsageError
from mrtune.study import keys
from mrtune.study.drivers import drivers_of
from mrtune.study.records import Objective, Rung, StudyRecord, TrialRecord


def study_names(storage: RDBStorage) -> list[str]:
    """Name the studies of a storage, the newest last."""
    studies = sorted(storage.get_all_studies(), key=lambda study: study._study_id)
    return [study.study_name for study in studies]


def load_study(storage: RDBStorage, name: str) -> optuna.Study:
    """Open a study by its name; say which there are if there is none such."""
    try:
        return optuna.load_study(study_name=name, storage=storage)
    except KeyError:
        raise UsageError(f"no study {name!r}; {did_you_mean(name, study_names(storage))}") from None


def read_study(study: optuna.Study) -> StudyRecord:
    """Read a study with all its trials."""
    attributes = study.user_attrs
    space = attributes.get(keys.SPACE, {})
    return StudyRecord(
        name=study.study_name,
        workload=attributes.get(keys.WORKLOAD, "?"),
        objectives=_objectives(study, attributes),
        space=space,
        settings=attributes.get(keys.SETTINGS, {}),
        control=attributes.get(keys.CONTROL, "run"),
        drivers=drivers_of(attributes),
        trials=tuple(map(read_trial, study.get_trials(deepcopy=False))),
    )


def read_trial(trial: FrozenTrial) -> TrialRecord:
    """Read one trial."""
    attributes = trial.user_attrs
    return TrialRecord(
        number=trial.number,
        state=trial.state.name.lower(),  # type: ignore[arg-type]
        params=trial.params,
        values=tuple(trial.values) if trial.values else None,
        config=attributes.get(keys.CONFIG, trial.number),
        seed=attributes.get(keys.SEED, 0),
        default=attributes.get(keys.DEFAULT, False),
        setting=attributes.get(keys.SETTING, {}),
        curves=attributes.get(keys.CURVES, {}),
        metrics=attributes.get(keys.METRICS, {}),
        rungs=tuple(Rung(**rung) for rung in attributes.get(keys.RUNGS, ())),
        failure=attributes.get(keys.FAILURE),
        retries=attributes.get(keys.RETRIES, 0),
        owner=attributes.get(keys.OWNER),
        slot=attributes.get(keys.SLOT),
        place=attributes.get(keys.PLACE, {}),
        provenance=attributes.get(keys.PROVENANCE, {}),
        started=trial.datetime_start,
        ended=trial.datetime_complete,
        seconds=attributes.get(keys.SECONDS, 0.0),
    )


def _objectives(study: optuna.Study, attributes: Mapping[str, Any]) -> tuple[Objective, ...]:
    named = attributes.get(keys.SPACE, {}).get("objective")
    if named:
        return tuple(Objective(**objective) for objective in named)
    names = study.metric_names or [f"value {i}" for i in range(len(study.directions))]
    return tuple(
        Objective(name, "maximize" if direction.name == "MAXIMIZE" else "minimize")
        for name, direction in zip(names, study.directions, strict=True)
    )
