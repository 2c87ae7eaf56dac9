"""Statistics of norms, taken anew for an evaluation."""

import pytest
import torch
from torch import Tensor, nn

from mrtune.nn import PartitionedNetwork, partition, precise_norms

TASKS = 3
ACTIVE = {
    "0": torch.tensor([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], dtype=torch.bool),
    "4": torch.tensor([[1, 0, 1, 0, 1], [1, 1, 0, 0, 1], [0, 1, 0, 1, 1]], dtype=torch.bool),
}


def network(execution: str = "compact", norm_eval: str = "task") -> PartitionedNetwork:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        body = nn.Sequential(
            *(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.5)),
            *(nn.Conv2d(4, 5, 3), nn.BatchNorm2d(5), nn.ReLU()),
        ).double()
    built = partition(body, TASKS, execution=execution, norm_eval=norm_eval)
    built.set_active(ACTIVE)
    return built


def batch(seed: int) -> Tensor:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(6, 3, 8, 8, dtype=torch.float64, generator=rng) * (seed + 1)


def show(net: PartitionedNetwork, *seeds: int) -> None:
    for seed in seeds:
        run = net.shared(batch(seed))
        for task in range(TASKS):
            run.features(task)


def buffers(net: PartitionedNetwork) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in net.named_buffers()}


@pytest.mark.parametrize("execution", ["compact", "dense"])
def test_statistics_are_the_mean_over_the_batches_shown(execution: str) -> None:
    net = network(execution)
    show(net, 7, 8, 9)
    with precise_norms(net, lambda: show(net, 1, 2)):
        taken = buffers(net)
    conv = net.body.get_submodule("0")
    for task, held in enumerate(ACTIVE["0"]):
        outputs = [conv(batch(seed))[:, held] for seed in (1, 2)]
        means = torch.stack([out.mean((0, 2, 3)) for out in outputs]).mean(0)
        variances = torch.stack([out.movedim(1, 0).flatten(1).var(1) for out in outputs]).mean(0)
        torch.testing.assert_close(taken["body.1.running_mean"][task, held], means)
        torch.testing.assert_close(taken["body.1.running_var"][task, held], variances)


def test_both_executions_take_the_same_statistics() -> None:
    """In the second layer too, whose input differs from task to task."""
    taken = []
    for execution in ("compact", "dense"):
        net = network(execution)
        with precise_norms(net, lambda net=net: show(net, 1, 2)):  # type: ignore[misc]
            held = buffers(net)["body.5.running_mean"][ACTIVE["4"]]
        taken.append(held)
    torch.testing.assert_close(*taken)
    assert len(taken[0].unique()) == len(taken[0])


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("training", [True, False])
def test_afterwards_the_network_is_as_it_was(training: bool, fails: bool) -> None:
    net = network()
    show(net, 3)
    net.train(training)
    net.body.get_submodule("1").eval()  # a norm that somebody froze
    before, modes = buffers(net), [module.training for module in net.modules()]
    chance = torch.get_rng_state()
    try:
        with precise_norms(net, lambda: show(net, 1)):
            assert not any(module.training for module in net.modules())
            if fails:
                raise RuntimeError
    except RuntimeError:
        assert fails
    assert all(torch.equal(value, before[name]) for name, value in net.named_buffers())
    assert [module.training for module in net.modules()] == modes
    assert torch.equal(torch.get_rng_state(), chance)
    assert net.body.get_submodule("1").momentum == 0.1


def test_a_network_that_evaluates_by_batch_is_shown_nothing() -> None:
    with precise_norms(network(norm_eval="batch"), lambda: pytest.fail("shown a batch")):
        pass
