"""Small problems that methods are tried on."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from mrtune.methods import METHODS, Learner, Setup
from tests.training.toy import Toy


def toy_setup(**changes: Any) -> Setup:
    toy = Toy()
    arguments: dict[str, Any] = {
        "network": toy.network,
        "heads": [task.head for task in toy.tasks],
        "batches_per_epoch": 4,
        "seed": 0,
    }
    return Setup(**(arguments | changes))


class Descent:
    """Plain gradient descent that counts its steps and remembers the last gradients."""

    def __init__(self, model: nn.Module, lr: float = 0.05) -> None:
        self.parameters = list(model.parameters())
        self.lr = lr
        self.steps = 0
        self.gradients: list[Tensor] = []

    def backward(self, loss: Tensor) -> None:
        loss.backward()

    @torch.no_grad()
    def step(self) -> None:
        self.steps += 1
        zeros = (torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters)
        self.gradients = [gradient.clone() for gradient in zeros]
        for parameter, gradient in zip(self.parameters, self.gradients, strict=True):
            parameter.sub_(self.lr * gradient)
            parameter.grad = None


def build(name: str, setup: Setup | None = None, **parameters: Any) -> Learner:
    return METHODS[name](**parameters).build(setup or toy_setup())


def batch(number: int) -> tuple[Tensor, Callable[[int, Tensor], Tensor]]:
    """A batch of the toy problem and its criterion."""
    toy = Toy()
    x, targets = toy.splits["train"].batch(torch.arange(number * 16, number * 16 + 16) % 96)
    return x, lambda task, output: toy.tasks[task].loss(output, targets[task])


def learn(learner: Learner, batches: range, descent: Descent | None = None) -> list[Tensor]:
    """Learn from some batches and return the losses of each."""
    descent = descent or Descent(learner.model)
    losses = []
    for number in batches:
        losses.append(learner.update(*batch(number), descent))
        learner.advance(number + 1)
    return losses


def same_state(one: nn.Module, other: nn.Module) -> bool:
    states = one.state_dict(), other.state_dict()
    return states[0].keys() == states[1].keys() and all(
        torch.equal(states[0][key], states[1][key]) for key in states[0]
    )
