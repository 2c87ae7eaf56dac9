"""The heads that turn shared features into one task's predictions; they are never masked."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mrtune.nn.support import Compact, Value, dense


class LinearHead(nn.Linear):
    """Celeb-A's head: one linear layer from the pooled features to a task's attributes."""

    def forward(self, features: Value) -> Tensor:
        """Return logits [image, attribute]."""
        return super().forward(dense(features))


class DenseHead(nn.Module):
    """Dense prediction's head: a 3×3 convolution that keeps the width, then a 1×1 to outputs."""

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(width, width, 3, padding=1)
        self.predict = nn.Conv2d(width, outputs, 1)

    def forward(self, features: Value) -> Tensor:
        """Return predictions [image, output, height, width of the image]."""
        # Nothing non-linear lies between the two, so their product is one convolution, exactly.
        weight = torch.einsum("ow,wikl->oikl", self.predict.weight[:, :, 0, 0], self.mix.weight)
        assert self.mix.bias is not None
        bias = self.predict(self.mix.bias.view(1, -1, 1, 1)).flatten()
        if isinstance(features, Compact):
            weight = weight.index_select(1, features.support.channels)
            features = features.tensor
        return F.conv2d(features, weight, bias, padding=1)
