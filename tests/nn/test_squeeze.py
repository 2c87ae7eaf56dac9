"""Squeeze-and-excitation per task, the gate of SE-MTL."""

import pytest
import torch

from mrtune.errors import ParameterError
from mrtune.nn import partition, resnet18
from mrtune.nn.squeeze import Squeeze
from tests.nn.helpers import assert_steps_same, pair


def test_squeeze_scales_each_channel_of_each_image() -> None:
    torch.manual_seed(0)
    gate = Squeeze(tasks=2, units=32)
    x = torch.randn(3, 32, 4, 4)
    scale = gate(x, 1) / x
    assert scale.min() > 0
    assert scale.max() < 1
    torch.testing.assert_close(scale, scale[:, :, :1, :1].expand_as(scale))
    assert not gate(x, 0).equal(gate(x, 1))


def test_squeeze_reduces_by_sixteen() -> None:
    shapes = [p.shape for p in Squeeze(tasks=1, units=64).parameters()]
    assert shapes == [(4, 64), (4,), (64, 4), (64,)]
    assert next(Squeeze(tasks=1, units=8).parameters()).shape == (1, 8)


@pytest.mark.parametrize("tasks", [1, 3])
@pytest.mark.parametrize("execution", ["compact", "stacked"])
def test_fast_executions_equal_dense_with_squeeze(execution: str, tasks: int) -> None:
    torch.manual_seed(0)
    dense, fast = pair(resnet18(width=8).double(), tasks, execution, gate="squeeze")
    fast.load_state_dict(dense.state_dict())
    x = torch.randn(3, 3, 64, 64, dtype=torch.float64)
    assert_steps_same(fast, dense, x)
    assert_steps_same(fast.eval(), dense.eval(), x)


def test_every_shared_convolution_has_a_squeeze_per_task() -> None:
    net = partition(resnet18(width=8), 3, gate="squeeze")
    gates = [m for m in net.modules() if isinstance(m, Squeeze)]
    assert len(gates) == len(net.units) == 20
    assert all(len(gate.excite) == 3 for gate in gates)


def test_squeeze_has_no_partition() -> None:
    net = partition(resnet18(width=8), 2, gate="squeeze")
    with pytest.raises(ParameterError, match="gate must be 'mask' to have a partition"):
        net.set_active({"conv1": torch.ones(2, 8, dtype=torch.bool)})
