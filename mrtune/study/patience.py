"""A database that goes away between a question and its answer is asked again."""

import sqlite3
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from sqlalchemy.exc import DBAPIError, OperationalError, PendingRollbackError, SQLAlchemyError

# What a cut connection is told as; the second is what a further question on it gets.
CUT = (OperationalError, PendingRollbackError)
TRIES = 6
# What may be done twice: reading, and setting something to a value.
REPEATABLE = (
    "get_all_studies",
    "get_study_directions",
    "get_study_id_from_name",
    "get_study_name_from_id",
    "get_study_system_attrs",
    "get_study_user_attrs",
    "get_trial",
    "set_study_system_attr",
    "set_study_user_attr",
    "_get_trials",
    "_set_trial_param",
)
T = TypeVar("T")


def asked(question: Callable[[], T]) -> T:
    """Ask what may be asked twice; to connect is to wait until the database is there again."""
    for _ in range(TRIES - 1):
        try:
            return question()
        except (SQLAlchemyError, StorageInternalError) as error:
            if not _went_away(error):
                raise
    return question()


def _went_away(error: Exception) -> bool:
    cause = error.__cause__ if isinstance(error, StorageInternalError) else error
    if isinstance(cause, DBAPIError) and isinstance(cause.orig, sqlite3.Error):
        return False  # a file does not go away: it is locked for too long, or its disk is full
    cut = isinstance(cause, DBAPIError) and cause.connection_invalidated
    return cut or isinstance(cause, CUT)


class PatientStorage(RDBStorage):
    """Optuna's storage, which asks again."""


def _patient(method: Callable[..., T]) -> Callable[..., T]:
    @wraps(method)
    def ask(*arguments: Any, **named: Any) -> T:
        return asked(partial(method, *arguments, **named))

    return ask


for _name in REPEATABLE:
    setattr(PatientStorage, _name, _patient(getattr(RDBStorage, _name)))
