"""One searched parameter: a range of numbers, or a list of choices."""

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from mrtune.search.space.strict import Strict, as_list, some

if TYPE_CHECKING:
    from optuna.trial import BaseTrial

Scalar = str | bool | int | float | None


def _scalars(value: Any) -> Any:
    for item in as_list(value):
        number = isinstance(item, float) and not math.isfinite(item)
        if number or not isinstance(item, Scalar):
            raise ValueError(f"must be finite numbers, names, true, false or null, not {item!r}")
    return as_list(value)


Values = Annotated[
    tuple[Scalar, ...],
    AfterValidator(some),
    BeforeValidator(_scalars, json_schema_input_type=Scalar | list[Scalar]),
]
When = Annotated[
    dict[str, Values],
    Field(
        default_factory=dict,
        description="used only where these other parameters have (one of) these values",
    ),
]


class FloatRange(Strict):
    """Numbers from low to high."""

    type: Literal["float"] = Field("float", description="numbers with a fraction")
    low: float = Field(description="smallest value")
    high: float = Field(description="largest value")
    log: bool = Field(False, description="as likely from 1 to 10 as from 10 to 100")
    step: float | None = Field(None, gt=0, description="only low, low + step, …, high")
    when: When

    @model_validator(mode="after")
    def _sound(self) -> Self:
        _check_range(self.low, self.high, self.log)
        if self.step is not None and self.log:
            raise ValueError("step and log exclude each other")
        if self.step is not None and not _divides(self.step, self.low, self.high):
            raise ValueError("high must be low plus a whole number of steps")
        return self

    @property
    def centre(self) -> float:
        """The value in the middle."""
        if values := self.values:
            return values[(len(values) - 1) // 2]
        return math.sqrt(self.low * self.high) if self.log else (self.low + self.high) / 2

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        return self.low, self.high

    @property
    def values(self) -> tuple[float, ...] | None:
        """All values, where they can be counted."""
        if self.low == self.high:
            return (self.low,)
        return None if self.step is None else _steps(self.low, self.high, self.step)

    def suggest(self, name: str, trial: "BaseTrial") -> float:
        """Let Optuna choose."""
        return trial.suggest_float(name, self.low, self.high, step=self.step, log=self.log)


class IntRange(Strict):
    """Whole numbers from low to high."""

    type: Literal["int"] = Field(description="whole numbers")
    low: int = Field(description="smallest value")
    high: int = Field(description="largest value")
    log: bool = Field(False, description="as likely from 1 to 10 as from 10 to 100")
    step: int = Field(1, ge=1, description="only low, low + step, …, high")
    when: When

    @model_validator(mode="after")
    def _sound(self) -> Self:
        _check_range(self.low, self.high, self.log)
        if self.step != 1 and self.log:
            raise ValueError("step and log exclude each other")
        if not _divides(self.step, self.low, self.high):
            raise ValueError("high must be low plus a whole number of steps")
        return self

    @property
    def centre(self) -> int:
        """The value in the middle."""
        if self.log:
            return round(math.sqrt(self.low * self.high))
        return self.values[(len(self.values) - 1) // 2]

    @property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        return self.low, self.high

    @property
    def values(self) -> range:
        """All values."""
        return range(self.low, self.high + 1, self.step)

    def suggest(self, name: str, trial: "BaseTrial") -> int:
        """Let Optuna choose."""
        return trial.suggest_int(name, self.low, self.high, step=self.step, log=self.log)


class Choice(Strict):
    """One of a few values."""

    choices: Values = Field(description="the values")
    when: When

    @model_validator(mode="after")
    def _sound(self) -> Self:
        twice = [value for n, value in enumerate(self.choices) if value in self.choices[:n]]
        if twice:
            raise ValueError(f"choices must differ, {twice[0]!r} stands twice")
        return self

    @property
    def centre(self) -> Scalar:
        """The middle one of numbers, the first one of names."""
        numbers = self._numbers
        return numbers[(len(numbers) - 1) // 2] if numbers else self.choices[0]

    @property
    def ends(self) -> tuple[Scalar, Scalar]:
        """The smallest and the largest of numbers, the first and the last of names."""
        values = self._numbers or self.choices
        return values[0], values[-1]

    @property
    def values(self) -> tuple[Scalar, ...]:
        """All values."""
        return self.choices

    @property
    def _numbers(self) -> list[int | float]:
        """The choices in order of size; none if some are not numbers."""
        numbers = [value for value in self.choices if type(value) in (int, float)]
        return sorted(numbers) if len(numbers) == len(self.choices) else []  # type: ignore[arg-type]

    def suggest(self, name: str, trial: "BaseTrial") -> Scalar:
        """Let Optuna choose."""
        return trial.suggest_categorical(name, self.choices)


Dimension = FloatRange | IntRange | Choice


def _check_range(low: float, high: float, log: bool) -> None:
    if low > high:
        raise ValueError("low must not exceed high")
    if log and low <= 0:
        raise ValueError("low must be above 0 where log is true")


def _divides(step: float, low: float, high: float) -> bool:
    steps = (high - low) / step
    return abs(steps - round(steps)) < 1e-8


def _steps(low: float, high: float, step: float) -> tuple[float, ...]:
    """All numbers of a stepped range, as a person would write them: 0.3, not 0.1 + 0.2."""
    first, gap = Decimal(str(low)), Decimal(str(step))
    return tuple(float(first + n * gap) for n in range(round((high - low) / step) + 1))
