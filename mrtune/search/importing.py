"""A study out of the file that `mrtune export --json` wrote."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from optuna.storages import RDBStorage
from optuna.trial import FixedTrial, FrozenTrial, TrialState, create_trial
from pydantic import TypeAdapter, ValidationError

from mrtune.errors import UsageError
from mrtune.search.settings import Settings
from mrtune.search.space import Space
from mrtune.search.studies import begin
from mrtune.study import keys, study_names
from mrtune.study.records import FINISHED, Rung

KEPT = {  # what a trial is exported with, under its name in a study
    "config": keys.CONFIG,
    "seed": keys.SEED,
    "default": keys.DEFAULT,
    "setting": keys.SETTING,
    "curves": keys.CURVES,
    "metrics": keys.METRICS,
    "rungs": keys.RUNGS,
    "failure": keys.FAILURE,
    "retries": keys.RETRIES,
    "place": keys.PLACE,
    "network": keys.NETWORK,
    "provenance": keys.PROVENANCE,
    "seconds": keys.SECONDS,
}
SETTINGS = TypeAdapter(Settings)
NOTHING: tuple[Any, ...] = (None, {}, [])
UNFINISHED = {"reason": "it was not finished when the study was exported", "traceback": ""}


def import_study(
    storage: RDBStorage, content: Mapping[str, Any], runs: str, name: str | None = None
) -> str:
    """Write an exported study into a storage, and return its name there.

    Its files stay where they are: trials that are added write to a place in `runs`.
    """
    try:
        space = Space.from_dict(content["space"])
        settings = replace(SETTINGS.validate_python(content["settings"]), runs=runs)
        trials = [_trial(space, trial) for trial in content["trials"]]
        name = name or str(content["name"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"this is no study that mrtune has exported: {_told(error)}") from None
    if name in study_names(storage):
        way_out = f"--study NAME gives it another name, `mrtune rm {name}` makes room"
        raise UsageError(f"there is a study {name!r} already: {way_out}")
    provenance: dict[str, Any] = next((t.user_attrs.get(keys.PROVENANCE, {}) for t in trials), {})
    begin(storage, name, space, settings, provenance).study.add_trials(trials)
    return name


def _trial(space: Space, content: Mapping[str, Any]) -> FrozenTrial:
    fixed = FixedTrial(dict(content["params"]))
    if content["setting"] not in ({}, space.config({})):  # not begun; the default, outside of it
        space.suggest(fixed)
    _check(space, content)
    finished = content["state"] in FINISHED
    kept = {key: content[name] for name, key in KEPT.items() if content[name] not in NOTHING}
    objective = space.objectives[0].metric if len(space.objectives) == 1 else None
    curve = content["curves"].get(objective, ())
    trial = create_trial(
        state=TrialState[content["state"].upper()] if finished else TrialState.FAIL,
        params=fixed.params,
        distributions=fixed.distributions,
        values=content["values"],
        user_attrs=kept if finished else {**kept, keys.FAILURE: UNFINISHED},
        intermediate_values={n: value for n, value in enumerate(curve, 1) if value is not None},
    )
    trial.datetime_start = _moment(content["started"]) or datetime.now()
    trial.datetime_complete = _moment(content["ended"]) or trial.datetime_start
    return trial


def _check(space: Space, content: Mapping[str, Any]) -> None:
    """Refuse what can be stored and not be read again."""
    for name in ("number", "config", "seed"):
        if not isinstance(content[name], int):
            raise TypeError(f"{name} must be a whole number, got {content[name]!r}")
    for rung in content["rungs"]:
        Rung(**rung)
    told = {**content["curves"], "the metrics": content["metrics"].values()}
    for name, values in told.items():
        if not all(value is None or isinstance(value, int | float) for value in values):
            raise TypeError(f"there is more than numbers in {name}")
    values, objectives = content["values"], space.objectives
    if values is not None and len(values) != len(objectives):
        raise ValueError(f"{len(values)} values of {len(objectives)} objectives")


def _told(error: Exception) -> str:
    """Say on one line what an exported study lacks or has wrong."""
    if isinstance(error, KeyError):
        return f"it has no {error}"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error).splitlines()[0]


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
