"""Configurations of a study, by what they were trained with."""

from pathlib import PurePath
from typing import Any

from mrtune.study.records import Configuration, StudyRecord, TrialRecord


def setting_of(trial: TrialRecord) -> dict[str, Any]:
    """Return with which values a trial was trained, as far as they are known.

    A network knows what it was built with, its trainer's defaults included.
    """
    return {**trial.setting, **trial.params, **(trial.network.get("roaming") or {})}


def method_of(record: StudyRecord, trial: TrialRecord) -> str:
    """Return by which method a trial was trained.

    A trainer that knows nothing of methods, in a file of its own, is named after the file.
    """
    stranger = record.workload.endswith(".py") and not trial.network
    unsaid = PurePath(record.workload).stem if stranger else "mr"
    return str(setting_of(trial).get("method", unsaid))


def best_by_method(record: StudyRecord) -> dict[str, Configuration]:
    """Return the best configuration of each method, among those with the most complete seeds."""
    found: dict[str, list[Configuration]] = {}
    for configuration in record.configurations:
        if configuration.mean() is not None:
            found.setdefault(method_of(record, configuration.trials[0]), []).append(configuration)
    gain = record.objective.sign
    return {
        method: max(group, key=lambda c: (len(c.complete), gain * (c.mean() or 0.0)))
        for method, group in found.items()
    }
