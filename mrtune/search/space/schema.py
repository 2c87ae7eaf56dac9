"""The JSON Schema of a search space, by which editors complete and check."""

from typing import Any

from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from mrtune.methods import METHODS
from mrtune.search.space.space import Space
from mrtune.training import Recipe


class _Plain(GenerateJsonSchema):
    """Leaves out titles that only repeat the key."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def json_schema() -> dict[str, Any]:
    """Return the schema; parameters of ours are named in it, others are allowed."""
    schema = Space.model_json_schema(by_alias=True, schema_generator=_Plain)
    params, fixed = (schema["properties"][part] for part in ("params", "fixed"))
    schema["$defs"]["Param"] = params["additionalProperties"]
    param = {"$ref": "#/$defs/Param"}
    params["additionalProperties"] = param
    about = {name: {"description": field.description} for name, field in _ours().items()}
    params["properties"] = {name: {**param, **text} for name, text in about.items()}
    fixed["properties"] = about
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "mrtune search space",
    }


def _ours() -> dict[str, FieldInfo]:
    """Parameters of the methods and of the loop; its length is the budget's affair."""
    method = FieldInfo(description=f"one of {', '.join(METHODS)}")
    fields = {key: field for model in METHODS.values() for key, field in model.model_fields.items()}
    return {
        "method": method,
        **fields,
        **{key: field for key, field in Recipe.model_fields.items() if key != "epochs"},
    }
