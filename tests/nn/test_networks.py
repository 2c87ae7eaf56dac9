"""The networks and heads of the paper's appendix."""

from pathlib import Path

import pytest
import torch
import torchvision
from torch import nn

from mrtune.errors import ParameterError
from mrtune.nn import DenseHead, LinearHead, partition, resnet18, segnet
from mrtune.nn.support import Compact, Support


def test_resnet18_is_torchvisions_without_its_classifier() -> None:
    theirs = torchvision.models.resnet18(weights=None)
    ours = resnet18()
    ours.load_state_dict({k: v for k, v in theirs.state_dict().items() if not k.startswith("fc.")})
    theirs.fc = nn.Identity()
    x = torch.randn(2, 3, 64, 64)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x))


def test_resnet18_has_twenty_partitioned_layers_of_torchvisions_names() -> None:
    units = partition(resnet18(), tasks=2).units
    assert len(units) == 20
    assert units["conv1"] == 64
    assert units["layer2.0.downsample.0"] == 128
    assert units["layer4.1.conv2"] == 512


def test_width_scales_every_stage_of_resnet18() -> None:
    units = partition(resnet18(width=5), tasks=2).units
    assert sorted(set(units.values())) == [5, 10, 20, 40]
    assert resnet18(width=5)(torch.randn(2, 3, 32, 32)).shape == (2, 40)


def test_checkpoint_is_loaded(tmp_path: Path) -> None:
    theirs = torchvision.models.resnet18(weights=None)
    torch.save(theirs.state_dict(), tmp_path / "resnet18.pth")
    ours = resnet18(weights=tmp_path / "resnet18.pth")
    assert ours.layer3[0].conv1.weight.equal(theirs.layer3[0].conv1.weight)


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", None])
def test_bad_checkpoint_is_one_clear_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.pth"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        ParameterError, match=r"weights must be a checkpoint of a ResNet-18 of width"
    ):
        resnet18(weights=path)


@pytest.mark.parametrize("state", [{"conv1.weight": torch.zeros(1)}, [1, 2], {}])
def test_checkpoint_of_something_else_is_refused(tmp_path: Path, state: object) -> None:
    torch.save(state, tmp_path / "other.pth")
    with pytest.raises(ParameterError, match="width 8"):
        resnet18(width=8, weights=tmp_path / "other.pth")


@pytest.mark.parametrize("build", [resnet18, segnet])
def test_width_must_be_positive(build: type) -> None:
    with pytest.raises(ParameterError, match="width must be at least 1, got 0"):
        build(width=0)


def test_segnet_has_the_layers_of_vgg16_and_their_mirror() -> None:
    units = partition(segnet(width=4), tasks=2).units
    widths = [4, 4, 8, 8, 16, 16, 16, *[32] * 6, *[32] * 5, 16, 16, 16, 8, 8, 4, 4, 4]
    assert list(units.values()) == widths
    assert len(units) == 26


@pytest.mark.parametrize("size", [(32, 64), (33, 47)])
def test_segnet_keeps_the_size_of_the_image(size: tuple[int, int]) -> None:
    assert segnet(width=4)(torch.randn(2, 3, *size)).shape == (2, 4, *size)


def test_dense_head_is_its_two_convolutions() -> None:
    head = DenseHead(6, 3).double()
    x = torch.randn(2, 6, 9, 8, dtype=torch.float64)
    torch.testing.assert_close(head(x), head.predict(head.mix(x)), atol=1e-12, rtol=0)
    assert head.mix.weight.shape == (6, 6, 3, 3)
    assert head.predict.weight.shape == (3, 6, 1, 1)


def test_heads_read_compact_features() -> None:
    support = Support(torch.tensor([4, 1]), 6)
    maps = Compact(torch.randn(2, 2, 5, 5), support)
    head = DenseHead(6, 3)
    torch.testing.assert_close(head(maps), head(maps.dense()))
    flat = Compact(torch.randn(2, 2), support)
    linear = LinearHead(6, 3)
    torch.testing.assert_close(linear(flat), linear(flat.dense()))
