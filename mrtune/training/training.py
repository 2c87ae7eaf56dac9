"""Our trainer: a workload, a method and a recipe, reported on at intervals."""

import copy
import math
import resource
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import torch
from pydantic import BaseModel
from torch import Tensor

from mrtune.config import check_keys, pick
from mrtune.errors import Diverged, ParameterError
from mrtune.methods import METHODS, Method, Setup, trainable_parameters
from mrtune.nn import precise_norms
from mrtune.training.batches import Batches
from mrtune.training.evaluation import evaluate, observe
from mrtune.training.recipe import Recipe
from mrtune.training.stepper import AdamStepper
from mrtune.training.workload import Workload

PRECISION = {"none": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def method_of(config: Mapping[str, Any], default: str = "mr") -> Method:
    """Read a method and its parameters from a flat configuration."""
    name = config.get("method", default)
    if name not in METHODS:
        raise ParameterError("method", f"one of {', '.join(METHODS)}", name)
    return pick(METHODS[name], config)


@dataclass
class Since:
    """What has happened since the last report."""

    losses: list[Tensor] = field(default_factory=list)  # of each batch, float [task]
    images: int = 0
    seconds: float = 0.0


class Training:
    """Trains a workload; everything in it follows from configuration and seed."""

    def __init__(
        self,
        workload: Workload,
        config: Mapping[str, Any],
        seed: int = 0,
        device: str = "cpu",
        options: type[BaseModel] = BaseModel,
    ) -> None:
        """Build from a flat configuration, some keys of which may be the workload's `options`."""
        method, recipe = method_of(config), pick(Recipe, config)
        known = (type(method), Recipe, options)
        check_keys(config, {"method"}.union(*(model.model_fields for model in known)))
        self.recipe = recipe
        self.workload = workload
        self.device = torch.device(device)
        self.batches = Batches(len(workload.splits["train"]), recipe.batch_size, seed)
        self.learner = method.build(
            Setup(
                network=workload.network,
                heads=[task.head for task in workload.tasks],
                batches_per_epoch=self.batches.per_epoch,
                seed=seed,
                execution=recipe.execution,
                norm_eval=recipe.norm_eval,
                compiled=recipe.compile,
                alternating=recipe.step == "alternating",
                device=device,
            )
        )
        self.stepper = AdamStepper(self.learner.model, recipe, self.device)
        self.iteration = 0
        self.seconds = 0.0
        self._since = Since()
        self.on_batch: Callable[[float, float], None] | None = None  # told epoch and loss

    @property
    def iterations(self) -> int:
        """Batches from the start to the end of training."""
        return max(1, round(self.recipe.epochs * self.batches.per_epoch))

    @property
    def finished(self) -> bool:
        """Whether all batches are done."""
        return self.iteration >= self.iterations

    @property
    def epoch(self) -> float:
        """Epochs done."""
        return self.iteration / self.batches.per_epoch

    def step(self) -> dict[str, float]:
        """Train up to the next report and evaluate on the held-out split."""
        report = self.advance()
        assert report is not None
        return report

    def advance(self, seconds: float = math.inf) -> dict[str, float] | None:
        """Train for about so long, but no further than to the next report; return that report."""
        interval = max(1, round(self.recipe.report_every * self.batches.per_epoch))
        until = min(self.iterations, (self.iteration // interval + 1) * interval)
        started = time.perf_counter()
        while self.iteration < until and time.perf_counter() - started < seconds:
            positions = self.batches.at(self.iteration)
            self._since.losses.append(self._train(positions))
            self._since.images += len(positions)
        self._since.seconds += time.perf_counter() - started
        return self._report() if self.iteration == until else None

    def _report(self) -> dict[str, float]:
        since, self._since = self._since, Since()
        self.seconds += since.seconds
        mean = torch.stack(since.losses).mean(dim=0)
        return {
            "epoch": self.epoch,
            "loss": float(mean.sum()),
            **{f"loss/{t.name}": float(m) for t, m in zip(self.workload.tasks, mean, strict=True)},
            **self.evaluate(),
            **self.learner.metrics(),
            "seconds": self.seconds,
            "images_per_s": since.images / since.seconds,
            "peak_memory_mb": self._peak_memory(),
        }

    def evaluate(self, split: str = "held_out") -> dict[str, float]:
        """Return the workload's metrics on a split; empty where there is no such split."""
        if split not in self.workload.splits:
            return {}
        with self._norms():
            return evaluate(
                self.learner.model,
                self.workload.splits[split],
                self.workload.metrics(),
                self.recipe.batch_size,
                self.device,
            )

    def _norms(self) -> AbstractContextManager[None]:
        """Evaluate with norm statistics of now: running ones lag behind weights and swaps."""
        count = min(self.recipe.norm_batches, self.batches.per_epoch)
        if not count:
            return nullcontext()
        model, train = self.learner.model, self.workload.splits["train"]
        first = [self.batches.at(iteration) for iteration in range(count)]
        return precise_norms(model, partial(observe, model, train, first, self.device))

    def _train(self, positions: Tensor) -> Tensor:
        """Learn from one batch and return its losses, float [task].

        What fell due after the one before, such as swaps, waits until now: a report is about a
        network that has trained with the units that it has.
        """
        if self.iteration:
            self.learner.advance(self.iteration)
        x, targets = self.workload.splits["train"].batch(positions)
        targets = [target.to(self.device) for target in targets]
        self.stepper.set_progress(self.iteration / self.iterations)
        precision = PRECISION[self.recipe.amp]
        with torch.autocast(self.device.type, precision, enabled=self.recipe.amp != "none"):
            losses = self.learner.update(
                x.to(self.device),
                lambda task, output: self.workload.tasks[task].loss(output, targets[task]),
                self.stepper,
            )
        self._check_finite(losses)
        self.iteration += 1
        if self.on_batch is not None:
            self.on_batch(self.epoch, float(losses.sum()))
        return losses

    def _check_finite(self, losses: Tensor) -> None:
        if not torch.isfinite(losses).all():
            bad = [
                f"{task.name} is {float(loss)}"
                for task, loss in zip(self.workload.tasks, losses, strict=True)
                if not torch.isfinite(loss)
            ]
            raise Diverged(f"the loss of {', '.join(bad)} at epoch {self.epoch:.2f}")

    def _peak_memory(self) -> float:
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device) / 2**20
        unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB here
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20

    def about(self) -> dict[str, Any]:
        """Return the size of the network, and what its roaming follows from."""
        origin = self.learner.origin
        return {
            "parameters": trainable_parameters(self.learner.model),
            "tasks": [task.name for task in self.workload.tasks],
            "roaming": origin and origin.to_dict(),
        }

    def state(self) -> dict[str, Any]:
        """Return model, partitions, optimiser, counters and every source of chance, as a copy."""
        state = {
            "model": self.learner.model.state_dict(),
            "learner": self.learner.state_dict(),
            "stepper": self.stepper.state_dict(),
            "iteration": self.iteration,
            "seconds": self.seconds,
            "since": asdict(self._since),
        }
        return copy.deepcopy(state)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self.learner.model.load_state_dict(state["model"])
        self.learner.load_state_dict(state["learner"])
        self.stepper.load_state_dict(state["stepper"])
        self.iteration = state["iteration"]
        self.seconds = state["seconds"]
        self._since = Since(**copy.deepcopy(state["since"]))
