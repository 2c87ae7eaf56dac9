"""What a search is after: a metric, and which way it gets better."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from mrtune.metrics.directions import DIRECTIONS, Direction
from mrtune.search.space.strict import Strict, as_list, some

# What our trainers report besides the metrics of their workloads.
REPORTED: dict[str, Direction] = {
    "loss": "minimize",
    "seconds": "minimize",
    "images_per_s": "maximize",
    "peak_memory_mb": "minimize",
    "roaming/coverage_relaxed": "minimize",
}
MOST = 4  # objectives: of more, hardly any trial is worse than another in all
KNOWN: dict[str, Direction] = {**DIRECTIONS, **REPORTED}


def direction_of(metric: str) -> Direction | None:
    """Return the way a known metric gets better; `f/<attribute>` goes the way of `f`."""
    return KNOWN.get(metric) or KNOWN.get(metric.partition("/")[0])


class Objective(Strict):
    """A metric that trials report."""

    # An editor must not ask for the direction of a metric of ours.
    model_config = ConfigDict(
        json_schema_extra=lambda schema: schema["required"].remove("direction")
    )

    metric: str = Field(description="name of a reported metric: f_score, miou, f/Smiling, loss, …")
    direction: Direction = Field(description="way in which it gets better; known for our metrics")

    @model_validator(mode="before")
    @classmethod
    def _spelt_out(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = {"metric": value}
        if isinstance(value, dict) and isinstance(metric := value.get("metric"), str):
            known = direction_of(metric)
            return {**({"direction": known} if known else {}), **value}
        return value


def _few(values: tuple[Objective, ...]) -> tuple[Objective, ...]:
    if len(values) > MOST:
        raise ValueError(f"must be at most {MOST} metrics")
    return values


Objectives = Annotated[
    tuple[Objective, ...],
    AfterValidator(some),
    AfterValidator(_few),
    BeforeValidator(as_list, json_schema_input_type=str | Objective | list[str | Objective]),
]
