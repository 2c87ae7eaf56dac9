"""SegNet: a VGG-16 encoder and its mirrored decoder, which unpools where the encoder pooled."""

from torch import Tensor, nn
from torch.nn import functional as F

from mrtune.errors import ParameterError

# Outputs of each convolution, in units of `width`; a pooling follows every encoder stage.
ENCODER = ((1, 1), (2, 2), (4, 4, 4), (8, 8, 8), (8, 8, 8))
DECODER = ((8, 8, 8), (8, 8, 4), (4, 4, 2), (2, 1), (1, 1))


class SegNet(nn.Module):
    """The encoder–decoder, from an image to `width` feature maps of the same size."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.features = width
        self.encoder = _stages(3, ENCODER, width)
        self.decoder = _stages(ENCODER[-1][-1] * width, DECODER, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return features [image, width, height, width of the image]."""
        pools = []
        for stage in self.encoder:
            x = stage(x)
            size = x.shape[-2:]
            x, indices = F.max_pool2d(x, 2, stride=2, return_indices=True)
            pools.append((indices, size))
        for stage, (indices, size) in zip(self.decoder, reversed(pools), strict=True):
            x = stage(F.max_unpool2d(x, indices, (2, 2), stride=(2, 2), output_size=size))
        return x


def segnet(width: int = 64) -> SegNet:
    """Build a SegNet whose stages have width, 2, 4, 8 and 8 times width units."""
    if width < 1:
        raise ParameterError("width", "at least 1", width)
    return SegNet(width)


def _stages(inputs: int, plan: tuple[tuple[int, ...], ...], width: int) -> nn.ModuleList:
    stages = nn.ModuleList()
    for multiples in plan:
        layers: list[nn.Module] = []
        for outputs in (multiple * width for multiple in multiples):
            layers.append(_layer(inputs, outputs))
            inputs = outputs
        stages.append(nn.Sequential(*layers))
    return stages


def _layer(inputs: int, outputs: int) -> nn.Sequential:
    layer = nn.Sequential()
    conv = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
    layer.add_module("conv", conv)
    layer.add_module("norm", nn.BatchNorm2d(outputs))
    layer.add_module("relu", nn.ReLU(inplace=True))
    return layer
