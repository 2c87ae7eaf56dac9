"""Units of every partitioned layer of the two networks that mrtune ships, in forward order."""

from collections.abc import Iterator


def _resnet18() -> Iterator[tuple[str, int]]:
    yield "conv1", 64
    for stage, width in enumerate((64, 128, 256, 512), start=1):
        for block in range(2):
            yield f"layer{stage}.{block}.conv1", width
            yield f"layer{stage}.{block}.conv2", width
            if stage > 1 and block == 0:
                yield f"layer{stage}.{block}.downsample.0", width


def _segnet() -> Iterator[tuple[str, int]]:
    stages = ((64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512))
    for stage, widths in enumerate(stages):
        for conv, width in enumerate(widths):
            yield f"encoder.{stage}.{conv}.conv", width
    ends = (512, 256, 128, 64, 64)  # a decoder stage ends as wide as the next one starts
    for stage, (widths, end) in enumerate(zip(reversed(stages), ends, strict=True)):
        for conv, width in enumerate((*widths[1:], end)):
            yield f"decoder.{stage}.{conv}.conv", width


LAYOUTS: dict[str, dict[str, int]] = {"resnet18": dict(_resnet18()), "segnet": dict(_segnet())}
