"""Optuna's own tests of storages, on the mirror."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from optuna.storages import BaseStorage
from optuna.testing.pytest_storages import StorageTestCase
from optuna.trial import FrozenTrial

from mrtune.study import close_storage, open_storage
from mrtune.study.keys import OWNER
from mrtune.study.mirror import Mirror


class Unsigned(Mirror):
    """Optuna's tests count the attributes of a new trial; a signature is one more."""

    def get_trial(self, trial_id: int) -> FrozenTrial:
        return _without_owner(super().get_trial(trial_id))

    def get_all_trials(self, *args: Any, **options: Any) -> list[FrozenTrial]:
        return [_without_owner(trial) for trial in super().get_all_trials(*args, **options)]


def _without_owner(trial: FrozenTrial) -> FrozenTrial:
    bare = copy.copy(trial)
    bare.user_attrs = {k: v for k, v in trial.user_attrs.items() if k != OWNER}
    return bare


@pytest.mark.slow
class TestMirror(StorageTestCase):
    # These leave connections open, and try what the mirror leaves to Optuna.
    test_pickle_storage = None
    test_study_user_attrs_concurrent_write = None
    test_study_system_attrs_concurrent_write = None

    @pytest.fixture
    def storage(self, url: str) -> Iterator[BaseStorage]:
        backend = open_storage(url)
        yield Unsigned(backend)
        close_storage(backend)
