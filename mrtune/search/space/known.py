"""What a trainer of ours can be told: the keys of its configuration, and what each may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from mrtune.config import rule_of
from mrtune.methods import METHODS
from mrtune.training import Recipe
from mrtune.training.resolve import load_trainer, trainer_names


@dataclass(frozen=True)
class Keys:
    """The keys of a trainer that ships with mrtune."""

    options: type[BaseModel]
    defaults: Mapping[str, Any]

    @cached_property
    def common(self) -> dict[str, FieldInfo]:
        """Keys that do not depend on the method; how long to train is the budget's affair."""
        fields = {**Recipe.model_fields, **self.options.model_fields}
        return {key: field for key, field in fields.items() if key != "epochs"}

    def of_method(self, method: str) -> dict[str, FieldInfo]:
        """All keys that can be given along with a method."""
        return {**self.common, **METHODS[method].model_fields}

    def methods_with(self, key: str) -> list[str]:
        """Methods that take a key."""
        return [name for name in METHODS if key in self.of_method(name)]


def keys_of(trainer: str) -> Keys | None:
    """Return the keys of a trainer of ours; nothing is known of a user's file."""
    if trainer not in trainer_names():
        return None
    module = load_trainer(trainer)
    return Keys(module.Options, module.DEFAULTS)


def fault(field: FieldInfo, value: Any) -> str | None:
    """Return the rule that a value breaks."""
    kind: Any = Annotated[field.annotation, Field(), *field.metadata]
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        return rule_of(error.errors()[0])
    return None
