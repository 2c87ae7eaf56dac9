"""One attempt at a trial, in a worker: train in slices, report, keep checkpoints."""

import faulthandler
import math
import os
import socket
import time
import traceback
from contextlib import suppress
from typing import Any, TextIO

import torch

from mrtune.errors import MrtuneError, StorageFailed
from mrtune.places import FULL, place_of
from mrtune.search.job import Job
from mrtune.search.log import Log
from mrtune.search.outcome import Failure, Outcome, Report
from mrtune.search.slot import Saved, Slot
from mrtune.training import Training
from mrtune.training.resolve import build_trainer, load_trainer
from mrtune.training.trainer import Trainer

CHECKPOINT_EVERY = 60.0  # seconds, where reports are further apart


class Attempt:
    """Continues a trial from its newest checkpoint, or begins it.

    Whatever goes wrong in the training is an outcome, never an exception: a worker that dies is
    tried again, a training that fails is not.
    """

    def __init__(self, job: Job, device: str) -> None:
        self._job = job
        self._device = device
        self._slot = Slot(job.slot)
        self._log = Log(self._slot)
        self._looked = -math.inf
        self._flag = place_of(job.flags)
        self._trainer: Trainer | None = None
        self._reports: list[Report] = []
        self._saved_at = time.monotonic()
        self._watch: TextIO | None = None
        torch.set_num_threads(job.threads)
        if device == "cuda" and job.gpu_memory is not None:
            _limit_gpu_memory(job.gpu_memory * 2**30)

    def advance(self) -> Outcome:
        """Do a slice of work."""
        started, saved_at = time.perf_counter(), self._saved_at
        try:
            if self._trainer is None:
                if hung := self._slot.hung():
                    return self._failed_by_hanging(hung)
                if self._asked_to_drain():
                    return Outcome(drained=True)
            with self._log.catching():
                outcome = self._work(started)
            if outcome.finished is not None or self._saved_at != saved_at:
                self._log.keep()
            return outcome
        except Exception as error:  # whatever a trainer raises fails its trial, not the search
            return self._explained(error)

    def _asked_to_drain(self) -> bool:
        """Look for the flag, as often as its place can bear."""
        now = time.monotonic()
        if now - self._looked < self._flag.look_every:
            return False
        self._looked = now
        return self._flag.exists(self._job.drain)

    def close(self) -> None:
        """Let go of the log and of the watch."""
        with suppress(StorageFailed):  # the trial has ended, whatever its last lines do
            self._log.keep()
        if self._watch is not None:
            faulthandler.cancel_dump_traceback_later()
            self._watch.close()
            self._watch = None

    def _work(self, started: float) -> Outcome:
        news: dict[str, Any] = {}
        if self._trainer is None:
            trainer, first = self._begin(), 0
            news = {
                "place": self._place(),
                "data": fingerprint(trainer),
                "network": trainer.about() if isinstance(trainer, Training) else None,
            }
        else:
            trainer, first = self._trainer, len(self._reports)
        if not trainer.finished:
            self._advance(trainer)
        new = self._reports[first:]
        if trainer.finished:
            news["finished"] = {f"val/{k}": v for k, v in trainer.evaluate("val").items()}
        elif self._asked_to_drain():
            self._save(trainer)
            news["drained"] = True
        elif time.monotonic() - self._saved_at > CHECKPOINT_EVERY:
            self._save(trainer)
        return Outcome(new, first, seconds=time.perf_counter() - started, **news)

    def _begin(self) -> Trainer:
        """Build the trainer, where it was when it was last saved."""
        self._set_watch()
        module = load_trainer(self._job.workload)
        trainer = build_trainer(module, self._job.setting, self._job.seed, self._device)
        saved = self._slot.load()
        if saved is not None:
            trainer.restore(saved.trainer)
            self._reports = saved.reports
        self._trainer = trainer
        return trainer

    def _advance(self, trainer: Trainer) -> None:
        """Train for a slice, or for a whole interval where the trainer knows no slices."""
        slices = getattr(trainer, "advance", None)
        report: Report | None = trainer.step() if slices is None else slices(self._job.slice)
        if report is not None:
            self._reports.append(report)
            print(_line(report), flush=True)  # noqa: T201  # into the log
            self._save(trainer)

    def _save(self, trainer: Trainer) -> None:
        """Write a checkpoint; the reports so far go with it, since the driver may not have them."""
        self._slot.save(Saved(trainer.state(), self._reports))
        self._saved_at = time.monotonic()

    def _set_watch(self) -> None:
        """Let the process end, and say where it was, when the attempt takes too long.

        The watch needs no help from Python: it also ends what hangs inside a library.
        """
        if self._job.timeout is not None:
            self._watch = self._slot.watching()
            faulthandler.dump_traceback_later(self._job.timeout, exit=True, file=self._watch)

    def _explained(self, error: Exception) -> Outcome:
        """Tell storage that fails, which is nobody's fault, from a training that fails."""
        if isinstance(error, OSError) and error.errno in FULL:
            return Outcome(stuck=f"the disk of {self._slot.place.name} is full")
        if isinstance(error, StorageFailed):
            return Outcome(stuck=str(error))
        memory = isinstance(error, torch.OutOfMemoryError | MemoryError)
        name = "out of memory" if memory else type(error).__name__
        trace = "" if isinstance(error, MrtuneError) else traceback.format_exc()
        return Outcome(failure=Failure(f"{name}: {error}", trace))

    def _failed_by_hanging(self, where: str) -> Outcome:
        reason = f"took longer than the {self._job.timeout:g} s of --trial-timeout"
        return Outcome(failure=Failure(reason, where))

    def _place(self) -> dict[str, Any]:
        return {"host": socket.gethostname(), "device": self._device, "pid": os.getpid()}


def fingerprint(trainer: Trainer) -> str | None:
    """Return what tells the trainer's data from other data, where it says."""
    data = getattr(getattr(trainer, "workload", None), "data", None)
    return getattr(data, "fingerprint", None)


def _limit_gpu_memory(size: float) -> None:
    """Let this process have so many bytes of its GPU, so that its neighbours there keep theirs."""
    whole = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, size / whole))


def _line(report: Report) -> str:
    whole = {key: value for key, value in report.items() if "/" not in key}
    return "  ".join(f"{key} {value:.5g}" for key, value in whole.items())
