"""The dense execution through torch.compile."""

import copy

import pytest
import torch
from torch._dynamo.utils import counters

from mrtune.errors import ParameterError
from mrtune.nn import PartitionedNetwork, partition
from tests.nn.helpers import TASKS, assert_same, draw_partition, outcome
from tests.training.toy import Toy


def _swap(nets: list[PartitionedNetwork], seed: int) -> None:
    active = draw_partition(nets[0].units, TASKS, 0.5, seed)
    for net in nets:
        net.set_active(active)


@pytest.mark.slow
def test_compiled_network_is_equal_and_compiled_once_for_all_tasks_and_swaps() -> None:
    torch.manual_seed(0)
    network = Toy().network().double()
    plain, compiled = nets = [
        partition(copy.deepcopy(network), TASKS, execution="dense", compiled=compiled)
        for compiled in (False, True)
    ]
    x = torch.randn(4, 3, 8, 8, dtype=torch.float64)
    torch.compiler.reset()  # what other tests have compiled would be counted as seen
    counters.clear()
    for seed in (1, 2):
        _swap(nets, seed)
        assert_same(outcome(compiled, x), outcome(plain, x))
    assert counters["stats"]["unique_graphs"] == 1
    assert_same(outcome(compiled.eval(), x), outcome(plain.eval(), x))
    assert counters["stats"]["unique_graphs"] == 2


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"execution": "compact"}, "compile must be false unless execution is dense"),
        ({"execution": "dense", "gate": "squeeze"}, "compile must be false for squeeze-and-excit"),
    ],
)
def test_what_cannot_be_compiled_is_refused(options: dict[str, str], rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        partition(Toy().network(), TASKS, compiled=True, **options)
