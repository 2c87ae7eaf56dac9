"""What Ray Tune asks and tells, passed on to a sweep."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ray import tune
from ray.tune.experiment import Trial
from ray.tune.progress_reporter import TrialProgressCallback
from ray.tune.schedulers import FIFOScheduler, TrialScheduler
from ray.tune.search import Searcher

from mrtune.search.actor import JOB, OUTCOME
from mrtune.search.outcome import Failure, Outcome
from mrtune.search.sweep import Sweep


class Trouble:
    """The first exception on our side, which Ray would swallow or tell as another one."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what the block raises."""
        try:
            yield
        except Exception as error:
            self.error = self.error or error
            raise


class Unwritten:
    """Ray writes what it is given to a folder; this knows a database, and maybe its password."""

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return Unwritten, ()


class StudySearcher(Unwritten, Searcher):
    """Asks the sweep for trials, no more at a time than there is room for."""

    def __init__(self, sweep: Sweep, trouble: Trouble, room: Callable[[], int]) -> None:
        super().__init__()
        self._sweep = sweep
        self._trouble = trouble
        self._room = room

    def suggest(self, trial_id: str) -> Any:  # noqa: ARG002  # a mapping, FINISHED or None
        """Return the next job, nothing for now, or that all is done."""
        with self._trouble.kept():
            self._sweep.tick()  # Ray waits in a loop around this method when nothing runs
            if self._sweep.over():
                return Searcher.FINISHED
            if not self._sweep.handing_out or len(self._sweep.live) >= self._room():
                return None
            job = self._sweep.next_job()
            return None if job is None else {JOB: job.to_dict()}

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """The scheduler and the callback have said all."""

    def save(self, checkpoint_path: str) -> None:
        """The study has all that there is to save."""

    def restore(self, checkpoint_path: str) -> None:
        """Searches are resumed from the study."""


class StudyScheduler(Unwritten, FIFOScheduler):
    """Sees every result, the last one too, and stops what the sweep stops."""

    def __init__(self, sweep: Sweep, trouble: Trouble) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._sweep = sweep
        self._trouble = trouble

    def choose_trial_to_run(self, tune_controller: Any) -> Trial | None:
        """Take back the trials without a worker where none is to begin: Ray would wait for them."""
        with self._trouble.kept():
            for trial in list(tune_controller.get_live_trials()):
                if trial.status == Trial.PENDING and self._sweep.recall(number_of(trial)):
                    trial.init_local_path()  # Ray asks for it at the end, begun or not
                    tune_controller.stop_trial(trial)
        chosen: Trial | None = super().choose_trial_to_run(tune_controller)
        return chosen

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:  # noqa: ARG002
        """Pass a slice of work on."""
        with self._trouble.kept():
            stop = self._sweep.take(number_of(trial), Outcome.from_json(result[OUTCOME]))
        return str(TrialScheduler.STOP if stop else TrialScheduler.CONTINUE)


class StudyCallback(Unwritten, tune.Callback):
    """Keeps the sweep alive, and tells it of workers that were lost."""

    def __init__(self, sweep: Sweep, trouble: Trouble) -> None:
        self._sweep = sweep
        self._trouble = trouble

    def on_step_begin(self, iteration: int, trials: list[Trial], **info: Any) -> None:  # noqa: ARG002
        """Give the sweep a chance to look around."""
        with self._trouble.kept():
            self._sweep.tick()

    def on_trial_recover(
        self,
        iteration: int,  # noqa: ARG002
        trials: list[Trial],  # noqa: ARG002
        trial: Trial,
        **info: Any,  # noqa: ARG002
    ) -> None:
        """A worker was lost; Ray starts another one."""
        with self._trouble.kept():
            self._sweep.lost_worker(number_of(trial))

    def on_trial_error(
        self,
        iteration: int,  # noqa: ARG002
        trials: list[Trial],  # noqa: ARG002
        trial: Trial,
        **info: Any,  # noqa: ARG002
    ) -> None:
        """A worker was lost once too often."""
        with self._trouble.kept():
            self._sweep.lost_for_good(number_of(trial), _failure(trial))


class Silence(TrialProgressCallback):
    """Stands where Ray would put its own, which prints, always, what ends without a result."""

    def _print(self, msg: str) -> None:
        """Keep it."""


def number_of(trial: Trial) -> int:
    """Return the number in the study of one of Ray's trials."""
    number: int = trial.config[JOB]["number"]
    return number


def _failure(trial: Trial) -> Failure:
    error = trial.get_pickled_error() or trial.get_error()
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = lines[0] if lines else type(error).__name__
    return Failure(f"its worker was lost: {cause}", str(error))
