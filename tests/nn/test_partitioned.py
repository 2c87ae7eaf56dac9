"""What a partitioned network promises to its callers."""

import copy
import pickle

import pytest
import torch
from torch import Tensor, nn

from mrtune.errors import ParameterError
from mrtune.nn import PartitionedNetwork, partition, resnet18
from tests.nn.helpers import STEPS, Step, assert_same, draw_partition, loss, one_by_one, outcome

EXECUTIONS = ("dense", "compact")


class Plain(nn.Module):
    """conv → norm → ReLU, then conv → ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 6, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(6)
        self.second = nn.Conv2d(6, 4, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return feature maps."""
        return torch.relu(self.second(torch.relu(self.norm(self.first(x)))))


def _net(execution: str = "compact", tasks: int = 2, p: float = 0.5) -> PartitionedNetwork:
    torch.manual_seed(0)
    net = partition(Plain().double(), tasks, execution=execution)
    net.set_active(draw_partition(net.units, tasks, p, seed=0))
    return net


X = torch.randn(4, 3, 8, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_mask_sits_between_norm_and_relu(execution: str) -> None:
    net, task = _net(execution), 1
    body, active = net.body, net.active
    torch.nn.init.normal_(body.norm.bias)
    hidden = nn.functional.batch_norm(
        body.first(X), None, None, body.norm.weight, body.norm.bias, training=True
    )
    hidden = torch.relu(hidden * active["first"][task].view(1, -1, 1, 1))
    wanted = torch.relu(body.second(hidden) * active["second"][task].view(1, -1, 1, 1))
    torch.testing.assert_close(net(X, task), wanted, atol=1e-12, rtol=0)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_each_task_holds_every_unit_at_first(execution: str) -> None:
    torch.manual_seed(0)
    network = Plain()
    x = X.float()
    wanted = network(x)
    net = partition(network, 3, execution=execution)
    assert all(a.all() for a in net.active.values())
    torch.testing.assert_close(net(x, 2), wanted)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_units_not_held_get_no_gradient(execution: str) -> None:
    net = _net(execution)
    net(X, 0).sum().backward()
    idle = ~net.active["second"][0]
    assert net.weight("second").grad[idle].eq(0).all()


def test_norm_statistics_follow_the_partition() -> None:
    net = _net(tasks=3)
    one_by_one(net, X)
    norm, active = net.body.norm, net.active["first"]
    assert norm.batches.bool().equal(active)
    moved = active.roll(1, dims=0)
    net.set_active({"first": moved})
    assert norm.batches.bool().equal(moved)


def test_weight_is_the_convolutions() -> None:
    net = _net()
    assert net.weight("first") is net.body.first.weight
    with pytest.raises(ParameterError, match="layer must be a partitioned layer, got 'norm'"):
        net.weight("norm")


@pytest.mark.parametrize(
    ("active", "message"),
    [
        ({"third": torch.ones(2, 6, dtype=torch.bool)}, "active must be of partitioned layers"),
        ({"first": torch.ones(2, 6)}, r"active\['first'\] must be of dtype torch.bool"),
        ({"first": torch.ones(2, 5, dtype=torch.bool)}, r"shape \[task, unit\] = \[2, 6\]"),
    ],
)
def test_wrong_partition_is_refused_whole(active: dict[str, Tensor], message: str) -> None:
    net = _net()
    before = net.active
    with pytest.raises(ParameterError, match=message):
        net.set_active({"second": ~before["second"], **active})
    assert all(before[name].equal(a) for name, a in net.active.items())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tasks": 0}, "tasks must be at least 1, got 0"),
        ({"execution": "fast"}, "execution must be one of compact, stacked, dense, got 'fast'"),
        ({"gate": "soft"}, "gate must be one of mask, squeeze, got 'soft'"),
        ({"norm_eval": "none"}, "norm_eval must be one of task, batch, got 'none'"),
    ],
)
def test_wrong_option_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        partition(Plain(), **{"tasks": 2, **options})


@pytest.mark.parametrize("task", [-1, 2])
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_task_must_exist(execution: str, task: int) -> None:
    net = _net(execution)
    with pytest.raises(ParameterError, match="task must be from 0 to 1"):
        net(X, task)
    with pytest.raises(ParameterError, match="task must be from 0 to 1"):
        net.shared(X).features(task)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_state_dict_carries_partition_and_statistics(execution: str) -> None:
    net = _net(execution)
    one_by_one(net, X)
    other = partition(Plain().double(), 2, execution=execution)
    one_by_one(other, X)
    other.load_state_dict(net.state_dict())
    assert_same(outcome(other, X), outcome(net, X), tolerance=0)
    assert "body.gates.first.active" in net.state_dict()


def test_state_dict_loads_into_the_other_execution() -> None:
    net, other = _net("compact"), partition(Plain().double(), 2, execution="dense")
    other.load_state_dict(net.state_dict())
    assert_same(outcome(net, X), outcome(other, X))


def test_state_dict_loads_as_part_of_a_model() -> None:
    net = _net()
    net(X, 0)
    model = nn.ModuleDict({"net": net})
    state = copy.deepcopy(model.state_dict())
    net.set_active({name: ~a for name, a in net.active.items()})
    changed = net(X, 0)
    model.load_state_dict(state)
    assert not net(X, 0).equal(changed)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_are_equal_and_independent(duplicate: object) -> None:
    net = _net()
    one_by_one(net, X)
    twin = duplicate(net)
    assert_same(outcome(twin, X), outcome(net, X), tolerance=0)
    before = net.active
    twin.set_active({name: ~a for name, a in twin.active.items()})
    twin(X, 0)
    assert all(before[name].equal(a) for name, a in net.active.items())


def test_net_can_change_its_type() -> None:
    net = _net()
    net(X, 0)
    assert net.float()(X.float(), 0).dtype == torch.float32
    assert net.body.norm.running_mean.dtype == torch.float32
    assert net.active["first"].dtype == torch.bool


def test_a_move_forgets_index_plans() -> None:
    net = _net()
    net(X, 0)
    stale = net._plans.support(net.body.gates.first, 0)
    assert net.to(torch.float32)._plans.support(net.body.gates.first, 0) is not stale


def _train(step: Step) -> Tensor:
    torch.manual_seed(0)
    net = partition(resnet18(width=4), 3)
    net.set_active(draw_partition(net.units, 3, 0.5, seed=0))
    optimiser = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(2):
        optimiser.zero_grad()
        step(net, torch.randn(2, 3, 32, 32))
        optimiser.step()
    return torch.cat([v.flatten().double() for v in net.state_dict().values()])


@pytest.mark.parametrize("step", STEPS)
def test_repeated_training_is_bit_identical(step: Step) -> None:
    assert _train(step).equal(_train(step))


def test_repeated_steps_are_bit_identical_on_two_threads() -> None:
    torch.set_num_threads(2)
    assert_same(outcome(_net(), X, STEPS[1]), outcome(_net(), X, STEPS[1]), tolerance=0)


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_autocast_works(execution: str) -> None:
    torch.manual_seed(0)
    net = partition(resnet18(width=8), 2, execution=execution)
    net.set_active(draw_partition(net.units, 2, 0.5, seed=0))
    x = torch.randn(4, 3, 64, 64)
    with net.shared(x) as exact, torch.no_grad():
        wanted = exact.features(0)
    with torch.autocast("cpu", torch.bfloat16), net.shared(x) as run:
        features = run.features(0)
        loss(features.float(), 0).backward()
    torch.testing.assert_close(features.float(), wanted, atol=0.2, rtol=0.2)
    assert all(p.grad.dtype == torch.float32 and p.grad.isfinite().all() for p in net.parameters())
