"""The reference execution: every unit is computed, then multiplied by the mask."""

from typing import Any

from torch import Tensor

from mrtune.nn.mask import Mask
from mrtune.nn.norm import TaskNorm
from mrtune.nn.program import Program, Step
from mrtune.nn.run import Run
from mrtune.nn.squeeze import Squeeze
from mrtune.nn.support import Value


class DenseRun(Run):
    """Each task on its own, from the first layer on."""

    def __init__(self, program: Program, tasks: int, x: Tensor) -> None:
        super().__init__(tasks)
        self._program = program
        self._x = x

    def _compute(self, task: int) -> Value:

        def call(step: Step, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if isinstance(step.module, TaskNorm):
                active = step.gate.active if isinstance(step.gate, Mask) else None
                return step.module(*args, task, active)
            if isinstance(step.module, Mask | Squeeze):
                return step.module(*args, task)
            return step.plain(args, kwargs)

        values = self._program.start(self._x)
        self._program.run(self._program.steps, values, call)
        result: Tensor = self._program.result(values)
        return result

    def _cut(self) -> None:
        pass

    def _flow(self) -> None:
        pass
