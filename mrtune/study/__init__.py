"""What a sweep is, read and written through Optuna's storage."""

from mrtune.study.reading import StudyReader, load_study, read_study, study_names
from mrtune.study.records import Configuration, Driver, Objective, Rung, StudyRecord, TrialRecord
from mrtune.study.storage import (
    Storage,
    close_storage,
    open_storage,
    remove_study,
    shown_url,
)

__all__ = [
    "Configuration",
    "Driver",
    "Objective",
    "Rung",
    "Storage",
    "StudyReader",
    "StudyRecord",
    "TrialRecord",
    "close_storage",
    "load_study",
    "open_storage",
    "read_study",
    "remove_study",
    "shown_url",
    "study_names",
]
