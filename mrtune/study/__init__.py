"""What a sweep is, read and written through Optuna's storage."""

from mrtune.study.reading import load_study, read_study, read_trial, study_names
from mrtune.study.records import Configuration, Driver, Objective, Rung, StudyRecord, TrialRecord
from mrtune.study.storage import DEFAULT_URL, close_storage, open_storage, shown_url

__all__ = [
    "DEFAULT_URL",
    "Configuration",
    "Driver",
    "Objective",
    "Rung",
    "StudyRecord",
    "TrialRecord",
    "close_storage",
    "load_study",
    "open_storage",
    "read_study",
    "read_trial",
    "shown_url",
    "study_names",
]
