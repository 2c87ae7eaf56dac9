"""A search space: what is trained, what is tried, and what it may cost."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, model_validator

from mrtune.errors import UsageError
from mrtune.search.space.dimension import Dimension, Scalar
from mrtune.search.space.objective import Objectives
from mrtune.search.space.param import ByDepth, Param
from mrtune.search.space.strict import Strict, some

if TYPE_CHECKING:
    from optuna.trial import BaseTrial

Pruner = Literal["asha", "hyperband", "median", "wilcoxon", "none"]
Sampler = Literal["tpe", "gp", "cmaes", "random", "qmc", "grid", "nsga2"]


class Budget(Strict):
    """How long a trial trains, and when it may be stopped."""

    epochs: float = Field(gt=0, description="length of a training that is not stopped early")
    grace: float | None = Field(
        None,
        gt=0,
        description="epochs before which no trial is stopped; by default as far as "
        "a typical plan needs to have made three quarters of its swaps, at most half of `epochs`",
    )
    reduction: int = Field(3, ge=2, description="one in this many trials passes a rung")
    rungs: Literal["epoch", "completion"] = Field(
        "epoch", description="trials are compared at the same epoch, or equally far into their plan"
    )


class Resources(Strict):
    """What one trial needs of the machine."""

    cpus: float = Field(1.0, gt=0, description="cores")
    gpus: float = Field(0.0, ge=0, description="GPUs; 0.5 lets two trials share one")
    memory: float | None = Field(None, gt=0, description="GiB that are set aside")
    gpu_memory: float | None = Field(
        None, gt=0, description="GiB of its GPU at most: a trial that wants more fails, alone"
    )

    @model_validator(mode="after")
    def _has_a_gpu(self) -> Self:
        if self.gpu_memory is not None and not self.gpus:
            raise ValueError("gpu_memory limits what a trial uses of its GPU, and gpus is 0")
        return self


class Space(Strict):
    """A search space of mrtune."""

    trainer: str = Field(description="a workload, or a trainer file beside this one: ./mine.py")
    objectives: Objectives = Field(
        alias="objective", description="what to improve: a metric, or a list of several"
    )
    budget: Budget = Field(description="epochs of a trial, and when it may be stopped")
    pruner: Pruner = Field(
        default_factory=lambda space: "asha" if len(space.get("objectives", ())) < 2 else "none",
        description="rule that stops hopeless trials: asha, but none where objectives are several",
    )
    sampler: Sampler = Field("tpe", description="rule that proposes configurations")
    trials: int = Field(100, ge=1, description="configurations to try")
    seeds: int = Field(1, ge=1, description="trainings of each configuration, from seed 0 on")
    resources: Resources = Field(default_factory=Resources, description="what a trial needs")
    params: Annotated[dict[str, Param], AfterValidator(some)] = Field(
        description="what is searched"
    )
    fixed: dict[str, JsonValue] = Field(
        default_factory=dict, description="parameters with the same value in every trial"
    )

    @property
    def dimensions(self) -> dict[str, Dimension]:
        """Everything that Optuna chooses, by its name there, what a `when` looks at first."""
        flat: dict[str, Dimension] = {}
        for name, param in self.params.items():
            flat |= param.ends(name) if isinstance(param, ByDepth) else {name: param}
        return {name: flat[name] for name in _parents_first(flat)}

    def walk(self, choose: Callable[[str, Dimension], Scalar]) -> dict[str, Scalar]:
        """Choose a value for each dimension whose `when` holds."""
        chosen: dict[str, Scalar] = {}
        for name, dimension in self.dimensions.items():
            if self.holds(dimension.when, chosen):
                chosen[name] = choose(name, dimension)
        return chosen

    def holds(self, when: Mapping[str, tuple[Scalar, ...]], chosen: Mapping[str, Scalar]) -> bool:
        """Whether a condition is met by what was chosen so far and by what is fixed."""
        values = {**self.fixed, **chosen}
        return all(name in values and values[name] in allowed for name, allowed in when.items())

    def config(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Turn Optuna's parameters into the configuration of a trainer."""
        config: dict[str, Any] = {**self.fixed, "epochs": self.budget.epochs}
        for name, value in chosen.items():
            key, _, end = name.partition(".")
            config[key] = {**config.get(key, {}), end: value} if end else value
        return config

    def suggest(self, trial: "BaseTrial") -> dict[str, Any]:
        """Let Optuna choose a configuration, as it goes along."""
        return self.config(self.walk(lambda name, dimension: dimension.suggest(name, trial)))

    def grid(self) -> list[dict[str, Scalar]]:
        """Return Optuna's parameters of every configuration, where they can be counted."""
        points: list[dict[str, Scalar]] = [{}]
        for name, dimension in self.dimensions.items():
            values = dimension.values
            if values is None:
                raise UsageError(f"params.{name}: a grid needs step or choices, this is a range")
            points = [
                {**point, **chosen}
                for point in points
                for chosen in (
                    [{name: value} for value in values]
                    if self.holds(dimension.when, point)
                    else [{}]
                )
            ]
        return points

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain data that JSON can hold."""
        return self.model_dump(mode="json", by_alias=True)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returned."""
        return cls.model_validate(data)


def _parents_first(dimensions: Mapping[str, "Dimension"]) -> list[str]:
    """Put each name after those that its `when` names."""
    ordered: dict[str, None] = {}

    def place(name: str, waiting: frozenset[str]) -> None:
        if name in ordered or name in waiting or name not in dimensions:
            return
        for parent in dimensions[name].when:
            place(parent, waiting | {name})
        ordered[name] = None

    for name in dimensions:
        place(name, frozenset())
    return list(ordered)
