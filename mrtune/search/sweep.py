"""A study at work: hands out its trials, takes what becomes of them, obeys the user."""

import math
import time
from collections.abc import Callable
from typing import Any

from optuna.trial import TrialState

from mrtune.errors import StorageFailed, UsageError
from mrtune.search.events import Event, Kind, Watch
from mrtune.search.job import SLICE, Job
from mrtune.search.keeper import Keeper
from mrtune.search.live import Live
from mrtune.search.outcome import Failure, Outcome, Report
from mrtune.search.queue import TrialQueue, queue_seed
from mrtune.search.rules import Rules
from mrtune.search.slot import Slot
from mrtune.search.studies import OpenStudy, place_in
from mrtune.study import keys
from mrtune.study.drivers import Heartbeat
from mrtune.study.records import Objective

HEARTBEAT_EVERY = 5.0  # seconds
LOOK_EVERY = 1.0  # seconds between looks at what the user asks
DRY = 0.5  # seconds after which an empty queue is asked again
CANCELLED = "cancelled by the user"


class Sweep:
    """Knows Optuna and nothing of Ray, so that anything can drive it."""

    def __init__(
        self,
        opened: OpenStudy,
        threads: int,
        watch: Watch,
        slice_: float = SLICE,
    ) -> None:
        study, space, settings = opened.study, opened.space, opened.settings
        self.study = study
        self.live: dict[int, Live] = {}
        self.about: Callable[[], dict[str, Any]] = dict  # what a heartbeat tells of this process
        self._mirror = opened.mirror
        self._queue = TrialQueue(opened, watch)
        self._space = space
        self._settings = settings
        self._threads = threads
        self._slice = slice_
        self._watch = watch
        self._rules = Rules(space, settings.grace, opened.mirror)
        self._objectives = [Objective(**o.model_dump()) for o in space.objectives]
        self._keeper = Keeper(study, self._objectives[0])
        self._workload: str = study.user_attrs[keys.WORKLOAD]
        self._provenance: dict[str, Any] = study.user_attrs.get(keys.PROVENANCE, {})
        self._runs = place_in(settings.runs, study)
        self._heartbeat = Heartbeat(study, opened.mirror.owner)
        self._drain_flag = f"drain-{self._heartbeat.id}"
        self._beaten = self._looked = self._dry_until = -math.inf
        self._draining = self._flagged = False
        self._control = "run"
        self._stopped: set[int] = set()

    def start(self) -> None:
        """Say that this process searches now."""
        self.tick()

    def tick(self) -> None:
        """Give a sign of life and see what the user asks; cheap enough to be called often."""
        now = time.monotonic()
        self._mirror.tick()
        if now - self._beaten >= HEARTBEAT_EVERY:
            self._beaten = now
            self._give_up_what_others_took()
            self._heartbeat.beat(**self.about())
        if now - self._looked >= LOOK_EVERY:
            self._looked = now
            self._obey()
        self._flag()

    def drain(self) -> None:
        """Let running trials write a checkpoint and wait; hand out no more.

        Called by signals and timers, where no request may be made: the next tick does.
        """
        self._draining = True

    def end(self) -> None:
        """Put what still runs back in the queue, and sign off."""
        for number in list(self.live):
            self.release(number)
        self._mirror.flush()
        self._runs.remove(self._drain_flag)
        self._heartbeat.stop()

    @property
    def handing_out(self) -> bool:
        """Whether new trials may start now."""
        return not self._draining and self._control == "run"

    def over(self) -> bool:
        """Whether this process has nothing more to do."""
        if self.live:
            return False
        if self._draining or self._control in {"stop", "cancel"}:
            return True
        return self._control == "run" and self._queue.empty()

    def next_job(self) -> Job | None:
        """Hand out a trial, if there is one."""
        if time.monotonic() < self._dry_until:
            return None
        trial = self._queue.take()
        if trial is None:
            self._dry_until = time.monotonic() + DRY
            return None
        if keys.SLOT not in trial.user_attrs:
            if keys.SETTING not in trial.user_attrs:  # else it is outside the space
                trial.set_user_attr(keys.SETTING, self._space.suggest(trial))
            trial.set_user_attr(keys.SLOT, self._runs.within(f"{trial.number:05d}").name)
            trial.set_user_attr(keys.PROVENANCE, self._provenance)
            self._mirror.flush()
        attributes = trial.user_attrs
        job = Job(
            number=trial.number,
            workload=self._workload,
            setting=attributes[keys.SETTING],
            seed=attributes[keys.SEED],
            slot=attributes[keys.SLOT],
            flags=self._runs.name,
            drain=self._drain_flag,
            threads=self._threads,
            timeout=self._settings.timeout,
            gpu_memory=self._space.resources.gpu_memory,
            slice=self._slice,
        )
        live = self.live[trial.number] = Live.of(trial, job)
        live.leave()
        self._emit("started", live, params=trial.params, epoch=live.epoch)
        return job

    def take(self, number: int, outcome: Outcome) -> bool:
        """Take news of a trial; return whether it is to be stopped."""
        live = self._still_mine(number)
        if live is None:
            return True
        live.seconds += outcome.seconds
        live.place(outcome)
        known = live.steps - outcome.first
        for report in outcome.reports[max(0, known) :]:
            self._take_report(live, report)
            if self._still_mine(number) is None:
                return True
        if outcome.stuck is not None:
            raise StorageFailed(
                f"{outcome.stuck}; what {self.study.study_name} has is safe, "
                f"`mrtune resume {self.study.study_name}` goes on once that is mended"
            )
        if outcome.failure is not None:
            self.fail(number, outcome.failure)
        elif outcome.finished is not None:
            self._complete(live, outcome.finished)
        elif self._control == "cancel" or number in self._stopped:
            self._stop(live)
        elif outcome.drained:
            self.release(number)
        return number not in self.live

    def fail(self, number: int, failure: Failure) -> None:
        """Record that a trial failed."""
        live = self.live.pop(number)
        live.trial.set_user_attr(keys.FAILURE, vars(failure))
        live.close()
        if self._tell(live, TrialState.FAIL):
            self._emit("fail", live, reason=failure.reason)

    def lost_worker(self, number: int) -> None:
        """Record that a trial begins another attempt because its worker was lost."""
        live = self._still_mine(number)
        if live is not None:
            live.leave()
            live.retries += 1
            live.trial.set_user_attr(keys.RETRIES, live.retries)
            self._emit("retry", live, retries=live.retries)

    def lost_for_good(self, number: int, failure: Failure) -> None:
        """Record that the worker of a trial was lost once too often."""
        if self._still_mine(number) is not None:
            self.fail(number, failure)

    def recall(self, number: int) -> bool:
        """Take a trial that has no worker back where none is to begin; return whether it is."""
        live = self._still_mine(number)
        if live is None:
            return True
        if number in self._stopped:
            self._stop(live)
        elif not self.handing_out:
            self.release(number)
        return number not in self.live

    def release(self, number: int) -> None:
        """Put a trial back in the queue, to be continued from its checkpoint."""
        live = self._still_mine(number)
        if live is None:
            return
        del self.live[number]
        live.trial.set_user_attr(keys.SECONDS, live.seconds)
        self._queue.give_back(live.trial)
        self._dry_until = -math.inf
        self._emit("requeued", live, epoch=live.epoch, begun=live.seconds > 0)

    def _take_report(self, live: Live, report: Report) -> None:
        """Record a report; the trial may end with it."""
        values = self._values(report)
        bad = next((value for value in values if not math.isfinite(value)), None)
        live.report(report, values[0] if len(values) == 1 and bad is None else None)
        self._emit("report", live, epoch=report["epoch"], values=values)
        if bad is not None:
            metric = self._objectives[values.index(bad)].metric
            self.fail(live.job.number, Failure(f"{metric} is {bad} at epoch {report['epoch']:g}"))
        elif self._rules.hopeless(live, report) and self._still_mine(live.job.number):
            self._prune(live)

    def _values(self, report: Report) -> list[float]:
        missing = [o.metric for o in self._objectives if o.metric not in report]
        if missing:
            there = ", ".join(sorted(name for name in report if "/" not in name))
            raise UsageError(
                f"{self._workload} reports no metric {missing[0]!r}; it reports {there}"
            )
        return [report[o.metric] for o in self._objectives]

    def _complete(self, live: Live, final: Report) -> None:
        del self.live[live.job.number]
        live.close(final)
        values = self._values(live.last)
        if not self._tell(live, TrialState.COMPLETE, values):
            return
        self._emit("complete", live, values=values, epoch=live.epoch)
        self._keeper.complete(values[0], live.job.slot)
        if self._rules.deserves_seed(live.config, live.default, self.study):
            queue_seed(self.study, live.trial)
            self._dry_until = -math.inf

    def _prune(self, live: Live) -> None:
        del self.live[live.job.number]
        live.close()
        if not self._tell(live, TrialState.PRUNED):
            return
        Slot(live.job.slot).discard()
        threshold = live.rungs[-1].threshold if live.rungs else None
        self._emit("pruned", live, epoch=live.epoch, threshold=threshold)

    def _stop(self, live: Live) -> None:
        """End a trial at the user's word; what it has reported stays."""
        if self._control == "cancel" or not live.steps:
            self.fail(live.job.number, Failure(CANCELLED))
        else:
            self._prune(live)

    def _tell(self, live: Live, state: TrialState, values: list[float] | None = None) -> bool:
        """End a trial; return False where another process has taken it over."""
        self.study.tell(live.trial, values, state, skip_if_finished=True)
        told = self._mirror.get_trial(live.trial._trial_id)
        return told.state == state and told.user_attrs.get(keys.OWNER) == self._mirror.owner

    def _still_mine(self, number: int) -> Live | None:
        """Return a trial that runs here, and drop it if another process has taken it over."""
        live = self.live.get(number)
        if live is not None and not self._mirror.runs(live.trial._trial_id):
            del self.live[number]
            return None
        return live

    def _give_up_what_others_took(self) -> None:
        """Drop the trials that another process took over while this one was out of sight."""
        self._mirror.review()
        for number in list(self.live):
            self._still_mine(number)

    def _obey(self) -> None:
        attributes = self.study.user_attrs
        self._stopped = set(attributes.get(keys.STOPPED, ()))
        request = attributes.get(keys.CONTROL, "run")
        if request == self._control:
            return
        self._control = request
        self._watch(Event("control", about={"request": request}))

    def _flag(self) -> None:
        """Put the flag up that trials look for, or take it down."""
        wanted = self._draining or self._control == "pause"
        if wanted == self._flagged:
            return
        if wanted:
            self._runs.write(self._drain_flag)
        else:
            self._runs.remove(self._drain_flag)
        self._flagged = wanted

    def _emit(self, kind: Kind, live: Live, **about: Any) -> None:
        self._watch(Event(kind, live.job.number, about))
