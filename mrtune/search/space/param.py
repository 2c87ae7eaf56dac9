"""What stands behind a name under `params`: one dimension, or one for each end of the network."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from mrtune.search.space.dimension import Choice, Dimension, FloatRange, IntRange, Scalar, When
from mrtune.search.space.strict import Strict


def _spelt_out(value: Any) -> Any:
    return {"choices": value} if isinstance(value, list | tuple) else value


def _kind(value: Any) -> str:
    if not isinstance(value, Mapping):
        return KINDS.get(type(value), "<float>")
    if "shallow" in value or "deep" in value:
        return "<depth>"
    if "choices" in value:
        return "<choice>"
    return "<int>" if value.get("type") == "int" else "<float>"


Tagged = (
    Annotated[FloatRange, Tag("<float>")]
    | Annotated[IntRange, Tag("<int>")]
    | Annotated[Choice, Tag("<choice>")]
)
OneDimension = Annotated[Tagged, Discriminator(_kind)]
End = Annotated[
    OneDimension, BeforeValidator(_spelt_out, json_schema_input_type=OneDimension | list[Scalar])
]


class ByDepth(Strict):
    """A parameter that changes linearly from the first layer to the last."""

    shallow: End = Field(description="its value at the first layer")
    deep: End = Field(description="its value at the last layer")
    when: When

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.shallow.when or self.deep.when:
            raise ValueError("both ends are used or none: `when` stands beside them")
        return self

    def ends(self, name: str) -> dict[str, Dimension]:
        """Return the two dimensions by their full names."""
        return {
            f"{name}.{end}": dimension.model_copy(update={"when": self.when})
            for end, dimension in (("shallow", self.shallow), ("deep", self.deep))
        }


KINDS: dict[type, str] = {
    FloatRange: "<float>",
    IntRange: "<int>",
    Choice: "<choice>",
    ByDepth: "<depth>",
}
OneOrTwo = Annotated[Tagged | Annotated[ByDepth, Tag("<depth>")], Discriminator(_kind)]
Param = Annotated[
    OneOrTwo, BeforeValidator(_spelt_out, json_schema_input_type=OneOrTwo | list[Scalar])
]
