"""The optimiser: Adam with a schedule, clipping and mixed precision."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from mrtune.training.recipe import Recipe

SCHEDULES: dict[str, Callable[[float], float]] = {  # of the share of training that is done
    "constant": lambda _: 1.0,
    "cosine": lambda done: (1 + math.cos(math.pi * done)) / 2,
    "linear": lambda done: 1 - done,
}


class AdamStepper:
    """Turns gradients into updates of a model's parameters."""

    def __init__(self, model: nn.Module, recipe: Recipe, device: torch.device) -> None:
        self._parameters = list(model.parameters())
        self._adam = torch.optim.AdamW(
            self._parameters, lr=recipe.lr, weight_decay=recipe.weight_decay, fused=True
        )
        self._lr = recipe.lr
        self._schedule = SCHEDULES[recipe.schedule]
        self._clip = recipe.clip
        self._scaler = torch.amp.GradScaler(device.type, enabled=recipe.amp == "fp16")

    def set_progress(self, done: float) -> None:
        """Set the learning rate for the share of training that is done."""
        for group in self._adam.param_groups:
            group["lr"] = self._lr * self._schedule(done)

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of a loss to those already there."""
        torch.autograd.backward(self._scaler.scale(loss))

    def step(self) -> None:
        """Update the parameters and clear their gradients."""
        if self._clip is not None:
            self._scaler.unscale_(self._adam)
            nn.utils.clip_grad_norm_(self._parameters, self._clip)
        self._scaler.step(self._adam)
        self._scaler.update()
        self._adam.zero_grad()

    def state_dict(self) -> dict[str, Any]:
        """Return the moments and the scale."""
        return {"adam": self._adam.state_dict(), "scaler": self._scaler.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state."""
        self._adam.load_state_dict(state["adam"])
        if state["scaler"]:
            self._scaler.load_state_dict(state["scaler"])
