"""Networks that we do not ship can be partitioned too."""

import pytest
import torch
import torchvision
from torch import Tensor, nn
from torch.nn import functional as F

from mrtune.errors import ParameterError
from mrtune.nn import PartitionedNetwork, partition
from mrtune.nn.partitioned import EXECUTIONS
from tests.nn.helpers import TASKS, assert_steps_same, draw_partition, many_backwards, pair


class Own(nn.Module):
    """A user's network with most of what needs care: biases, groups, branches, in-place steps."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.left = nn.Conv2d(8, 8, 3, padding=1, groups=2)
        self.right = nn.Conv2d(8, 8, 3, padding=1, padding_mode="reflect")
        self.depth = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.group = nn.GroupNorm(2, 8)
        self.norm = nn.BatchNorm2d(16)
        self.mix = nn.Conv2d(16, 6, 3, stride=2, padding="valid")
        self.hidden = nn.Linear(6 * 9, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Return features [image, 10]."""
        x = F.relu(self.stem(x), inplace=True)
        left = self.group(self.left(x))
        left += x
        right = self.right(x).relu_() * 0.5
        x = torch.cat([left, self.depth(right) + right.mean((2, 3), keepdim=True)], dim=1)
        x = F.adaptive_avg_pool2d(self.mix(torch.sigmoid(self.norm(x))), 3)
        features: Tensor = self.hidden(x.view(x.size(0), -1))
        return features


class Sized(nn.Module):
    """A network that reads the size of its input before tasks part, and uses it after."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.conv = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return features [image, channel · position]."""
        images = x.size(0)
        return self.conv(F.relu(self.stem(x))).view(images, -1)


class PreActivation(nn.Module):
    """A block whose in-place ReLU changes what its shortcut reads."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(8, 8, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """Return features [image, 8]."""
        x = self.stem(x)
        out = self.conv(self.relu(x))
        return (out + x).mean((2, 3))


class Sums(nn.Module):
    """A ReLU after a sum that only it reads, after one read twice, and after no sum at all."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.conv = nn.Conv2d(8, 8, 3, padding=1)
        self.add = nn.Identity()
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        """Return features [image, 8]."""
        x = self.stem(x)
        named_like_a_sum = self.relu(self.add(x))
        once = self.relu(self.conv(named_like_a_sum) + x)
        twice = once + x
        return (self.relu(twice) * twice).mean((2, 3))


def _check(network: nn.Module, size: int, p: float, layers: list[str] | None = None) -> None:
    for fast in ("compact", "stacked"):
        _check_one(*pair(network.double(), fast=fast, layers=layers), size, p)


def _check_one(dense: PartitionedNetwork, fast: PartitionedNetwork, size: int, p: float) -> None:
    active = draw_partition(dense.units, TASKS, p, seed=4)
    dense.set_active(active)
    fast.set_active(active)
    x = torch.randn(3, 3, size, size, dtype=torch.float64)
    assert_steps_same(fast, dense, x)
    assert_steps_same(fast.eval(), dense.eval(), x, [many_backwards])


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
def test_own_network_is_equal(p: float) -> None:
    torch.manual_seed(0)
    _check(Own(), 12, p)


@pytest.mark.slow
def test_mobilenet_is_equal() -> None:
    torch.manual_seed(0)
    _check(torchvision.models.mobilenet_v2(width_mult=0.25, num_classes=5, dropout=0.0), 64, 0.5)


@pytest.mark.slow
def test_mobilenet_with_squeeze_blocks_is_equal() -> None:
    torch.manual_seed(0)
    network = torchvision.models.mobilenet_v3_small(width_mult=0.25, num_classes=5, dropout=0.0)
    _check(network, 64, 0.5)


def test_densenet_is_equal() -> None:
    torch.manual_seed(0)
    network = torchvision.models.DenseNet(
        growth_rate=4, block_config=(2, 2), num_init_features=8, bn_size=2, num_classes=5
    )
    _check(network, 32, 0.5)


@pytest.mark.parametrize("layers", [["0"], ["0", "2"], ["2"]])
def test_a_mask_at_the_very_end_is_applied(layers: list[str]) -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU())
    _check(network, 8, 0.5, layers=layers)
    _check(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()), 8, 0.5)


def test_parameters_read_after_tasks_part_are_no_images() -> None:
    torch.manual_seed(0)
    stages = [(8, 16, 1), (16, None, 1)]
    settings = [torchvision.models.convnext.CNBlockConfig(*stage) for stage in stages]
    _check(torchvision.models.ConvNeXt(settings, num_classes=5), 32, 0.5)


def test_a_norm_that_would_mix_tasks_is_not_stacked() -> None:
    network = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.BatchNorm1d(8 * 36))
    with pytest.raises(
        ParameterError, match=r"compact or dense: 2 \(BatchNorm1d\) would mix tasks"
    ):
        partition(network, 2, execution="stacked")


def test_sizes_read_before_tasks_part_are_understood() -> None:
    torch.manual_seed(0)
    _check(Sized(), 8, 0.5)


def test_in_place_operations_keep_their_meaning() -> None:
    torch.manual_seed(0)
    network = PreActivation()
    x = torch.randn(2, 3, 8, 8)
    wanted = network(x)
    for execution in EXECUTIONS:
        net = partition(network, tasks=2, execution=execution)
        torch.testing.assert_close(net(x, 0), wanted)
        torch.testing.assert_close(net.shared(x).features(1), wanted)


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_only_a_sum_that_nothing_else_reads_is_overwritten(p: float) -> None:
    torch.manual_seed(0)
    _check(Sums(), 8, p)


def test_only_named_layers_are_partitioned() -> None:
    network = torchvision.models.mobilenet_v2(width_mult=0.25)
    units = partition(network, 2, layers=["features.0.0", "features.1*.conv.0.0"]).units
    assert next(iter(units)) == "features.0.0"
    assert len(units) == 10


def test_layers_that_are_not_partitioned_are_equal() -> None:
    torch.manual_seed(0)
    _check(Own(), 12, 0.5, layers=["mix"])


def test_layer_pattern_must_name_a_convolution() -> None:
    with pytest.raises(
        ParameterError, match=r"layers must be names of Conv2d modules .* got 'fc\*'"
    ):
        partition(Own(), 2, layers=["stem", "fc*"])


def test_network_must_be_traceable() -> None:
    class Branching(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x if x.sum() > 0 else -x

    with pytest.raises(ParameterError, match=r"network must be traceable by torch.fx"):
        partition(Branching(), 2)
