"""ResNet-18 as a feature extractor, at any width."""

import pickle
from pathlib import Path

import torch
from torch import Tensor, nn

from mrtune.errors import ParameterError


class ResNet18(nn.Module):
    """Torchvision's ResNet-18, truncated after the last average pooling, under its names."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.features = 8 * width
        self.conv1 = nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = _stage(width, width, stride=1)
        self.layer2 = _stage(width, 2 * width, stride=2)
        self.layer3 = _stage(2 * width, 4 * width, stride=2)
        self.layer4 = _stage(4 * width, 8 * width, stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        """Return features [image, 8 * width]."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return torch.flatten(self.avgpool(x), 1)


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut around them, under torchvision's names.

    Torchvision itself would more than double the time in which a worker starts.
    """

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = _shortcut(inputs, outputs, stride)

    def forward(self, x: Tensor) -> Tensor:
        """Return x plus what the convolutions make of it."""
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        shortcut = x if self.downsample is None else self.downsample(x)
        y: Tensor = self.relu(out + shortcut)
        return y


def resnet18(width: int = 64, weights: Path | None = None) -> ResNet18:
    """Build a ResNet-18 whose stages have width, 2, 4 and 8 times width units."""
    if width < 1:
        raise ParameterError("width", "at least 1", width)
    network = ResNet18(width)
    if weights is not None:
        _load(network, weights)
    return network


def _stage(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    return nn.Sequential(BasicBlock(inputs, outputs, stride), BasicBlock(outputs, outputs))


def _shortcut(inputs: int, outputs: int, stride: int) -> nn.Module | None:
    if inputs == outputs and stride == 1:
        return None
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))


def _load(network: ResNet18, weights: Path) -> None:
    try:
        state = torch.load(weights, map_location="cpu", weights_only=True)
        # The classifier is cut off here: heads are per task.
        network.load_state_dict({k: v for k, v in state.items() if not k.startswith("fc.")})
    except (OSError, EOFError, AttributeError, RuntimeError, pickle.UnpicklingError) as error:
        rule = f"a checkpoint of a ResNet-18 of width {network.conv1.out_channels}"
        raise ParameterError("weights", rule, str(weights)) from error
