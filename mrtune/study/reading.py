"""Reads studies out of a storage."""

from collections.abc import Mapping
from typing import Any

import optuna
from optuna.storages import BaseStorage, RDBStorage

from mrtune.config import did_you_mean
from mrtune.errors import UsageError
from mrtune.study import keys
from mrtune.study.drivers import drivers_of
from mrtune.study.records import Objective, Rung, StudyRecord, TrialRecord
from mrtune.study.rows import Row, read_rows


def study_names(storage: BaseStorage) -> list[str]:
    """Name the studies of a storage, the newest last."""
    studies = sorted(storage.get_all_studies(), key=lambda study: study._study_id)
    return [study.study_name for study in studies]


def load_study(storage: BaseStorage, name: str) -> optuna.Study:
    """Open a study by its name; say which there are if there is none such."""
    try:
        return optuna.load_study(study_name=name, storage=storage)
    except KeyError:
        raise UsageError(f"no study {name!r}; {did_you_mean(name, study_names(storage))}") from None


def read_study(study: optuna.Study) -> StudyRecord:
    """Read a study with all its trials."""
    return StudyReader(study).read()


class StudyReader:
    """Reads a study again and again: what is finished does not change, and is read once."""

    def __init__(self, study: optuna.Study) -> None:
        self._study = study
        self._storage: RDBStorage = study._storage._backend  # type: ignore[attr-defined]
        self._finished: dict[int, TrialRecord] = {}  # by their identifiers in the storage

    def read(self) -> StudyRecord:
        """Read the study as it is now."""
        attributes = self._study.user_attrs
        rows = read_rows(self._storage, self._study._study_id, self._finished)
        trials = {row.id: read_trial(row) for row in rows}
        all_trials = sorted((self._finished | trials).values(), key=lambda trial: trial.number)
        self._finished |= {id_: trial for id_, trial in trials.items() if trial.finished}
        return StudyRecord(
            name=self._study.study_name,
            workload=attributes.get(keys.WORKLOAD, "?"),
            objectives=_objectives(self._study, attributes),
            space=attributes.get(keys.SPACE, {}),
            settings=attributes.get(keys.SETTINGS, {}),
            control=attributes.get(keys.CONTROL, "run"),
            drivers=drivers_of(attributes),
            trials=tuple(all_trials),
        )


def read_trial(row: Row) -> TrialRecord:
    """Read one trial."""
    attributes = row.attributes
    return TrialRecord(
        number=row.number,
        state=row.state.name.lower(),  # type: ignore[arg-type]
        params=row.params,
        values=row.values,
        config=attributes.get(keys.CONFIG, row.number),
        seed=attributes.get(keys.SEED, 0),
        default=attributes.get(keys.DEFAULT, False),
        setting=attributes.mapping(keys.SETTING),
        curves=attributes.mapping(keys.CURVES),
        metrics=attributes.numbers(keys.METRICS),
        rungs=tuple(Rung(**rung) for rung in attributes.get(keys.RUNGS, ())),
        failure=attributes.get(keys.FAILURE),
        retries=attributes.get(keys.RETRIES, 0),
        owner=attributes.get(keys.OWNER),
        slot=attributes.get(keys.SLOT),
        place=attributes.mapping(keys.PLACE),
        network=attributes.mapping(keys.NETWORK),
        provenance=attributes.mapping(keys.PROVENANCE),
        started=row.started,
        ended=row.ended,
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
