"""A study as large as they get, written straight into the tables of Optuna's storage."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, distribution_to_json
from optuna.storages._rdb.models import (
    TrialIntermediateValueModel,
    TrialModel,
    TrialParamModel,
    TrialUserAttributeModel,
    TrialValueModel,
)
from optuna.trial import TrialState
from sqlalchemy import insert
from sqlalchemy.engine import Connection

from mrtune.study import Storage, keys

BEGAN = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
AT_ONCE = 500  # trials in one statement
SPACE = {
    "trainer": "fashion",
    "objective": [{"metric": "f_score", "direction": "maximize"}],
    "sampler": "tpe",
    "pruner": "asha",
    "seeds": 1,
}
PARAMS: dict[str, BaseDistribution] = {
    "p": FloatDistribution(0.1, 0.9),
    "finish_at": FloatDistribution(1, 40),
    "r": FloatDistribution(0, 1, step=0.25),
    "lr": FloatDistribution(1e-5, 1e-2, log=True),
}
RUNGS = (10, 20, 40)


def write_big_study(storage: Storage, name: str, trials: int, reports: int, seed: int = 0) -> None:
    """Write a search whose trials have all reported to the end, a few of them still running."""
    study = optuna.create_study(storage=storage, study_name=name, direction="maximize")
    space = {**SPACE, "budget": {"epochs": reports}}
    settings = {"trials": trials, "seed": 0, "grace": RUNGS[0], "runs": "runs"}
    for key, value in ((keys.WORKLOAD, "fashion"), (keys.SPACE, space), (keys.SETTINGS, settings)):
        study.set_user_attr(key, value)
    rng = np.random.default_rng(seed)
    with storage.engine.begin() as connection:
        for first in range(0, trials, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, trials))
            _write(connection, study._study_id, numbers, reports, trials, rng)


def _write(
    connection: Connection,
    study: int,
    numbers: range,
    reports: int,
    trials: int,
    rng: np.random.Generator,
) -> None:
    rows: dict[Any, list[dict[str, Any]]] = {
        model: []
        for model in (
            TrialModel,
            TrialParamModel,
            TrialUserAttributeModel,
            TrialIntermediateValueModel,
            TrialValueModel,
        )
    }
    for number in numbers:
        _add(rows, study, number, reports, trials, rng)
    for model, content in rows.items():
        if content:
            connection.execute(insert(model.__table__), content)


def _add(
    rows: dict[Any, list[dict[str, Any]]],
    study: int,
    number: int,
    reports: int,
    trials: int,
    rng: np.random.Generator,
) -> None:
    trial = study * 1_000_000 + number
    params = {
        "p": rng.uniform(0.1, 0.9),
        "finish_at": rng.uniform(1, 40),
        "r": rng.integers(5) / 4,
        "lr": 10 ** rng.uniform(-5, -2),
    }
    value = 0.7 - 0.3 * (params["p"] - 0.6) ** 2 - 0.02 * (np.log10(params["lr"]) + 3) ** 2
    curve = value * (1 - np.exp(-np.arange(1, reports + 1) / 6)) + rng.normal(0, 0.005, reports)
    state = TrialState.RUNNING if number >= trials - 2 else _state(number)
    rows[TrialModel].append(
        {
            "trial_id": trial,
            "number": number,
            "study_id": study,
            "state": state,
            "datetime_start": BEGAN + timedelta(minutes=number),
            "datetime_complete": BEGAN + timedelta(minutes=number + 30)
            if state.is_finished()
            else None,
        }
    )
    rows[TrialParamModel] += [
        {
            "trial_id": trial,
            "param_name": name,
            "param_value": float(param),
            "distribution_json": distribution_to_json(PARAMS[name]),
        }
        for name, param in params.items()
    ]
    rows[TrialUserAttributeModel] += [
        {"trial_id": trial, "key": key, "value_json": json.dumps(content)}
        for key, content in _attributes(number, curve, params, state).items()
    ]
    rows[TrialIntermediateValueModel] += [
        {
            "trial_id": trial,
            "step": step + 1,
            "intermediate_value": float(reported),
            "intermediate_value_type": "FINITE",
        }
        for step, reported in enumerate(curve)
    ]
    if state == TrialState.COMPLETE:
        rows[TrialValueModel].append(
            {"trial_id": trial, "objective": 0, "value": float(curve[-1]), "value_type": "FINITE"}
        )


def _state(number: int) -> TrialState:
    if number % 97 == 5:
        return TrialState.FAIL
    return TrialState.COMPLETE if number % 3 == 0 else TrialState.PRUNED


def _attributes(
    number: int, curve: np.ndarray[Any, Any], params: dict[str, Any], state: TrialState
) -> dict[str, Any]:
    reports = len(curve)
    curves = {
        "epoch": [float(n) for n in range(1, reports + 1)],
        "loss": [round(1 - x, 5) for x in curve.tolist()],
        **{name: curve.tolist() for name in ("f_score", "precision", "recall", "accuracy")},
        "roaming/completion": [min(1.0, n / 20) for n in range(1, reports + 1)],
        "roaming/coverage_relaxed": [0.0] * reports,
        "seconds": [2.5 * n for n in range(1, reports + 1)],
        "images_per_s": [1200.0] * reports,
    }
    rungs = [
        {
            "rung": rung,
            "epoch": float(epoch),
            "value": float(curve[epoch - 1]),
            "threshold": 0.6,
            "kept": state != TrialState.PRUNED or epoch != RUNGS[-1],
        }
        for rung, epoch in enumerate(RUNGS)
        if epoch <= reports
    ]
    metrics = {name: values[-1] for name, values in curves.items()}
    metrics |= {f"f/attribute {n}": float(curve[-1]) for n in range(26)}
    return {
        keys.CONFIG: number,
        keys.SEED: 0,
        keys.SETTING: {"method": "mr", **params},
        keys.CURVES: curves,
        keys.RUNGS: rungs,
        keys.SECONDS: 125.0,
        keys.PLACE: {"host": "box", "device": "cpu", "pid": 1},
    } | ({keys.METRICS: metrics} if state.is_finished() else {})
