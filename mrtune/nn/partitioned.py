"""Any torch network with its units divided among tasks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

from mrtune.errors import ParameterError
from mrtune.nn.compact import CompactRun
from mrtune.nn.dense import DenseRun, Features, dense_network
from mrtune.nn.layers import Layer, insert_gate, names_of, norms_per_task
from mrtune.nn.mask import Mask
from mrtune.nn.norm import TaskNorm
from mrtune.nn.plans import Plans
from mrtune.nn.program import Program
from mrtune.nn.run import Run
from mrtune.nn.squeeze import Squeeze
from mrtune.nn.stacked import StackedRun
from mrtune.nn.trace import trace

GATES: dict[str, Callable[[int, int], nn.Module]] = {"mask": Mask, "squeeze": Squeeze}
EXECUTIONS = ("compact", "stacked", "dense")
NORM_EVALS = ("task", "batch")


def partition(
    network: nn.Module,
    tasks: int,
    layers: Sequence[str] | None = None,
    execution: str = "compact",
    gate: str = "mask",
    norm_eval: str = "task",
    compiled: bool = False,
) -> "PartitionedNetwork":
    """Divide the units of a network's convolutions among tasks; at first each task holds all.

    `layers` are names or glob patterns of Conv2d modules, by default all. The parameters are those
    of the given network, which should not be used by itself any more. `execution` does not change
    what is computed: `compact` computes for each task its own units only, `stacked` all units for
    all tasks together, which is faster where layers are narrow, takes the memory of all tasks, and
    needs a network whose operations (batch norms aside) treat each image by itself;
    `dense` is the reference. `compiled` runs it through torch.compile.
    """
    if tasks < 1:
        raise ParameterError("tasks", "at least 1", tasks)
    for name, value, known in (
        ("execution", execution, EXECUTIONS),
        ("gate", gate, tuple(GATES)),
        ("norm_eval", norm_eval, NORM_EVALS),
    ):
        if value not in known:
            raise ParameterError(name, f"one of {', '.join(known)}", value)
    if compiled:
        _check_compilable(execution, gate)
    body = trace(network)
    names = names_of(body, layers)
    norms_per_task(body, tasks, norm_eval)
    if execution == "stacked":
        _check_stackable(body)
    gated = {n: insert_gate(body, n, lambda units: GATES[gate](tasks, units)) for n in names}
    body.recompile()
    if execution == "compact":
        body.to(memory_format=torch.channels_last)  # rows and columns of weights are runs then
    return PartitionedNetwork(body, tasks, gated, execution, compiled)


def _check_compilable(execution: str, gate: str) -> None:
    if execution != "dense":
        rule = "false unless execution is dense: its shapes stay the same, whatever is swapped"
        raise ParameterError("compile", rule, True)
    if gate != "mask":
        rule = "false for squeeze-and-excitation: each task would be a network to compile"
        raise ParameterError("compile", rule, True)


def _check_stackable(body: nn.Module) -> None:
    for name, module in body.named_modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            rule = f"compact or dense: {name} ({type(module).__name__}) would mix tasks"
            raise ParameterError("execution", rule, "stacked")


class PartitionedNetwork(nn.Module):
    """A network that computes the features of a task from the units that the task holds."""

    def __init__(
        self,
        body: GraphModule,
        tasks: int,
        layers: dict[str, Layer],
        execution: str,
        compiled: bool,
    ) -> None:
        super().__init__()
        self.body = body
        self.tasks = tasks
        self.execution = execution
        self.compiled = compiled
        self.units = {name: layer.units for name, layer in layers.items()}
        self._layers = layers
        self._structure = Plans()  # what no change of the partition changes
        self._plans = Plans()
        self.register_load_state_dict_post_hook(_forget_plans)  # type: ignore[no-untyped-call]

    def forward(self, x: Tensor, task: int) -> Tensor:
        """Return the features of one task."""
        return self._run(x, share=False).features(task)

    def shared(self, x: Tensor) -> Run:
        """Start a batch for several tasks: what they have in common is computed once."""
        return self._run(x, share=True)

    @property
    def active(self) -> dict[str, Tensor]:
        """Return a copy of the partition: bool [task, unit] for each layer."""
        return {name: self._mask(name).active.clone() for name in self.units}

    def set_active(self, active: Mapping[str, Tensor]) -> None:
        """Install the partition of some or all layers."""
        for name, rows in active.items():
            if name not in self.units:
                raise ParameterError("active", "of partitioned layers", name)
            self._mask(name).check(name, rows)
        for name, rows in active.items():
            self._install(name, rows)
        self._plans.clear()

    def weight(self, layer: str) -> nn.Parameter:
        """Return the weight of a partitioned convolution."""
        if layer not in self.units:
            raise ParameterError("layer", "a partitioned layer", layer)
        return self.body.get_parameter(f"{layer}.weight")

    def _install(self, name: str, rows: Tensor) -> None:
        mask = self._mask(name)
        after = rows.to(mask.active.device)
        for norm in (self.body.get_submodule(n) for n in self._layers[name].norms):
            if isinstance(norm, TaskNorm):
                norm.activate(mask.active, after)
        mask.active.copy_(after)

    def _mask(self, name: str) -> Mask:
        gate = self.body.get_submodule(self._layers[name].gate)
        if not isinstance(gate, Mask):
            raise ParameterError("gate", "'mask' to have a partition", "squeeze")
        return gate

    def _run(self, x: Tensor, share: bool) -> Run:
        program = self._structure.get("program", lambda: Program(self.body))
        if self.execution == "dense":
            features = self._structure.get("features", lambda: self._dense(program))
            return DenseRun(features, self.tasks, x, self.compiled)
        if self.execution == "stacked" and share:
            return StackedRun(program, self.tasks, x, self._plans)
        return CompactRun(program, self.tasks, x, self._plans, share)

    def _dense(self, program: Program) -> Features:
        network = dense_network(program)
        return torch.compile(network, fullgraph=True) if self.compiled else network

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> Self:
        # A move to another device or type leaves the index plans behind.
        self._plans.clear()
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        return self


def _forget_plans(network: nn.Module, _: Any) -> None:
    assert isinstance(network, PartitionedNetwork)
    network._plans.clear()
