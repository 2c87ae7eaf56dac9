import json
from collections.abc import Callable

from mrtune.methods import METHODS
from tests.conftest import Outcome


def test_every_method_is_listed_with_its_parameters(mrtune: Callable[..., Outcome]) -> None:
    code, out, _ = mrtune("methods")
    assert code == 0
    for name, method in METHODS.items():
        assert any(line.split()[:1] == [name] for line in out.splitlines())
        assert all(f"{key}: " in out for key in method.model_fields)


def test_json_says_the_same(mrtune: Callable[..., Outcome]) -> None:
    objects = [json.loads(line) for line in mrtune("methods", "--json").out.splitlines()]
    assert [method["name"] for method in objects] == list(METHODS)
    roaming = next(method for method in objects if method["name"] == "mr")
    assert roaming["parameters"]["p"]["default"] == 0.8
