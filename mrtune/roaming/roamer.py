"""The roaming of a whole network: every layer's partition, moved on as training goes."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from mrtune.errors import ParameterError
from mrtune.roaming.checks import check_choice
from mrtune.roaming.partition import initial_partition
from mrtune.roaming.plan import Plan
from mrtune.roaming.ratios import Ratio, ratio_of_each
from mrtune.roaming.selection import SELECTIONS, Preference
from mrtune.roaming.swap import swap


@dataclass(frozen=True)
class LayerState:
    """Where a layer stands: its partition, what each task has visited, and how it got there."""

    active: Tensor  # bool [task, unit]
    visited: Tensor  # bool [task, unit]
    step: int = 0  # updates made
    relaxed: int = 0  # swaps that could not keep every unit with a task

    def planned(self, plan: Plan) -> Tensor:
        """Swaps that each task makes from the start to the end of the plan, as int [task].

        Row sizes never change (Lemma 1.3), so the first partition need not be remembered.
        """
        units = self.active.shape[1]
        held: list[int] = self.active.sum(dim=1).tolist()
        return torch.tensor([plan.swaps(units, h) for h in held], device=self.active.device)

    def to(self, device: torch.device) -> "LayerState":
        """Move the state to a device."""
        return replace(self, active=self.active.to(device), visited=self.visited.to(device))


class Roamer:
    """Holds the partitions of a network's layers and swaps units when the plan says so."""

    def __init__(
        self,
        partitions: Mapping[str, Tensor],
        plan: Plan,
        generator: torch.Generator,
        selection: str = "uniform",
        coverage_guard: bool = True,
    ) -> None:
        check_choice("selection", selection, SELECTIONS)
        self.plan = plan
        self.generator = generator
        self.coverage_guard = coverage_guard
        self._select = SELECTIONS[selection]
        self._set_layers({name: LayerState(active, active) for name, active in partitions.items()})

    @classmethod
    def start(
        cls,
        units: Mapping[str, int],
        tasks: int,
        p: Ratio,
        plan: Plan,
        generator: torch.Generator,
        *,
        init: str = "exact",
        selection: str = "uniform",
        coverage_guard: bool = True,
    ) -> "Roamer":
        """Draw the first partition of each layer; `p` is one number or one per layer."""
        ratio = ratio_of_each(units, p)
        partitions = {
            name: initial_partition(size, tasks, ratio[name], generator, init)
            for name, size in units.items()
        }
        return cls(partitions, plan, generator, selection, coverage_guard)

    def advance(
        self, iteration: int, weights: Mapping[str, Tensor] | None = None
    ) -> dict[str, Tensor]:
        """Make the updates that are due after `iteration` iterations; return what changed.

        `weights` holds each layer's filters, [unit, …]; only the cosine selection looks at them.
        """
        changed: dict[str, Tensor] = {}
        while due := self._due(iteration):
            for names in due.values():
                self._update(names, weights)
                changed |= {name: self.layers[name].active for name in names}
        return changed

    def _due(self, iteration: int) -> dict[int, list[str]]:
        """Layers with an update to make, by their width."""
        due = defaultdict(list)
        for name, updates in self._updates.items():
            if self.layers[name].step < self.plan.swaps_by(iteration, updates):
                due[self.layers[name].active.shape[1]].append(name)
        return due

    def _update(self, names: list[str], weights: Mapping[str, Tensor] | None) -> None:
        """Make one update of layers that are equally wide."""
        layers = [self.layers[name] for name in names]
        preferences = [
            self._select(layer.active, weights[name] if weights else None, self.generator)
            for name, layer in zip(names, layers, strict=True)
        ]
        made = swap(
            active=torch.stack([layer.active for layer in layers]),
            visited=torch.stack([layer.visited for layer in layers]),
            preference=Preference(*map(torch.stack, zip(*preferences, strict=True))),
            due=torch.stack([self._planned[name] for name in names])
            > torch.tensor([[layer.step] for layer in layers], device=self.generator.device),
            coverage_guard=self.coverage_guard,
        )
        for name, layer, active, visited, relaxed in zip(
            names, layers, made.active, made.visited, made.relaxed.tolist(), strict=True
        ):
            self.layers[name] = LayerState(active, visited, layer.step + 1, layer.relaxed + relaxed)

    @property
    def completion(self) -> float:
        """Share of the planned swaps that is done; 1 where there is nothing to do."""
        planned = sum(int(swaps.sum()) for swaps in self._planned.values())
        done = sum(
            int(swaps.clamp(max=self.layers[name].step).sum())
            for name, swaps in self._planned.items()
        )
        return done / planned if planned else 1.0

    @property
    def relaxed(self) -> int:
        """Swaps, over all layers, that had to break the coverage of a unit."""
        return sum(layer.relaxed for layer in self.layers.values())

    @property
    def end(self) -> float:
        """Epoch at which the last layer is through."""
        return max((self.plan.end(updates) for updates in self._updates.values()), default=0.0)

    def state_dict(self) -> dict[str, Any]:
        """Everything that changes while roaming, the generator included, as plain data."""
        return {
            "layers": {name: vars(layer).copy() for name, layer in self.layers.items()},
            "generator": self.generator.get_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a saved state, on the device that this roamer is on."""
        saved = {name: LayerState(**fields) for name, fields in state["layers"].items()}
        ours, theirs = (
            {name: list(layer.active.shape) for name, layer in layers.items()}
            for layers in (self.layers, saved)
        )
        if ours != theirs:
            raise ParameterError("state", f"of the layers {ours}", theirs)
        self._set_layers({name: saved[name].to(self.generator.device) for name in self.layers})
        self.generator.set_state(state["generator"].cpu())

    def _set_layers(self, layers: dict[str, LayerState]) -> None:
        self.layers = layers
        self._planned = {name: layer.planned(self.plan) for name, layer in layers.items()}
        self._updates = {name: int(swaps.max()) for name, swaps in self._planned.items()}
