"""The search spaces that ship with mrtune, new files included."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mrtune.search.space import (
    Space,
    default_point,
    load_space,
    outlook_of,
    space_names,
    typical,
)
from mrtune.search.space.files import find_source
from mrtune.search.space.schema import json_schema
from mrtune.strict_yaml import read_document
from mrtune.training import Training
from mrtune.training.resolve import build_trainer, load_trainer, trainer_names

NAMES = space_names()
# What makes a network small enough to be built in no time.
SMALL: dict[str, dict[str, Any]] = {
    "celeba": {"width": 2, "size": 16},
    "cityscapes": {"width": 1, "shrink": 4},
    "nyuv2": {"width": 1, "shrink": 8},
}


def small(name: str, data: Path) -> Space:
    trainer = load_space(name).trainer
    options = {"root": str(data / trainer), **SMALL.get(trainer, {})}
    return load_space(name, [(f"fixed.{key}", value) for key, value in options.items()])


def test_every_workload_has_a_search_space() -> None:
    assert set(trainer_names()) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_search_space_is_sound(name: str) -> None:
    space = load_space(name)
    assert Space.from_dict(space.to_dict()) == space


@pytest.mark.parametrize("name", [name for name in NAMES if load_space(name).sampler == "grid"])
def test_a_grid_is_tried_as_a_whole(name: str) -> None:
    space = load_space(name)
    assert space.trials == len(space.grid())
    assert space.pruner == "none"


@pytest.mark.parametrize("name", NAMES)
def test_the_typical_configuration_can_be_trained(name: str, drawn_data: Path) -> None:
    space = small(name, drawn_data)
    trainer = build_trainer(load_trainer(space.trainer), typical(space), seed=0, device="cpu")
    assert isinstance(trainer, Training)
    assert trainer.recipe.epochs == space.budget.epochs


@pytest.mark.parametrize("name", NAMES)
def test_the_default_configuration_can_be_trained(name: str, drawn_data: Path) -> None:
    space = small(name, drawn_data)
    build_trainer(load_trainer(space.trainer), space.config({}), seed=0, device="cpu")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if load_space(name).sampler == "grid"])
def test_every_point_of_a_grid_can_be_trained(name: str, drawn_data: Path) -> None:
    space = small(name, drawn_data)
    module = load_trainer(space.trainer)
    for point in space.grid():
        build_trainer(module, space.config(point), seed=0, device="cpu")


def test_the_slowest_plan_of_the_demo_ends_within_its_budget() -> None:
    assert outlook_of(load_space("fashion")).warnings == []


def content(name: str) -> dict[str, Any]:
    source = find_source(name)
    return read_document(source.text, source.name).value


@pytest.mark.parametrize("name", NAMES)
def test_an_editor_finds_no_fault_with_it(name: str) -> None:
    jsonschema.Draft202012Validator(json_schema()).validate(content(name))


@pytest.mark.parametrize(
    "change",
    [
        {"buget": {}},
        {"budget": {"epochs": -1}},
        {"params": {"p": {"low": 0.1}}},
        {"params": {"p": {"low": 0.1, "high": 1, "hihg": 2}}},
        {"params": {"p": 3}},
        {"sampler": "tep"},
        {"objective": {"direction": "maximize"}},
    ],
)
def test_an_editor_sees_what_is_wrong(change: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    assert list(validator.iter_errors({**content("fashion"), **change}))


def test_the_schema_is_one_and_describes_what_it_names() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert all("description" in entry for entry in schema["properties"].values())
    assert {"p", "delta", "finish_at", "r", "lr", "method"} <= set(
        schema["properties"]["params"]["properties"]
    )


def test_the_demo_s_space_has_the_default_that_its_gain_is_measured_against() -> None:
    point = default_point(load_space("fashion"))
    assert point is not None
    assert point["p"] == 0.5
    assert point["finish_at"] == 5
