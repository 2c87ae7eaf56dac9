"""What a user asks of a running search, from any process that reaches the storage."""

from typing import Literal

import optuna

from mrtune.errors import UsageError
from mrtune.study.keys import CONTROL, STOPPED

Request = Literal["run", "pause", "stop", "cancel"]


def ask(study: optuna.Study, request: Request) -> None:
    """Ask a search to run, to pause, to stop once running trials are done, or to stop now."""
    study.set_user_attr(CONTROL, request)


def stop_trial(study: optuna.Study, number: int) -> None:
    """Ask a search to stop one trial."""
    trials = study.get_trials(deepcopy=False)
    if not 0 <= number < len(trials):
        raise UsageError(f"{study.study_name} has no trial {number}: it has {len(trials)} trials")
    if trials[number].state.is_finished():
        raise UsageError(f"trial {study.study_name}/{number} is finished already")
    stopped = study.user_attrs.get(STOPPED, [])
    study.set_user_attr(STOPPED, sorted({*stopped, number}))
