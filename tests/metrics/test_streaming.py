"""What must hold of every accumulator."""

import math

import pytest
import torch
from hypothesis import given

from mrtune.errors import ParameterError
from mrtune.metrics import DIRECTIONS, sign
from tests.metrics.drawn import KINDS, Kind, cuts, over, same, seeds

every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def split(kind: Kind, samples: int = 12, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    return kind.draw(samples, torch.Generator().manual_seed(seed))


@every_kind
@given(cuts=cuts, seed=seeds)
def test_any_cut_into_batches_gives_the_identical_result(
    kind: Kind, cuts: list[int], seed: int
) -> None:
    """Empty batches included, and in any order."""
    output, target = split(kind, 12, seed)
    whole = over(kind.metrics(), (output, target))
    order = torch.randperm(12, generator=torch.Generator().manual_seed(seed + 1))
    edges = sorted(cuts)
    batches = zip(output[order].tensor_split(edges), target[order].tensor_split(edges), strict=True)
    assert same(over(kind.metrics(), *batches), whole)


@every_kind
def test_a_large_split_image_by_image_is_identical_too(kind: Kind) -> None:
    """Enough values that a float sum would show its order, vectorised loops their tails."""
    output, target = split(kind, 1500)
    whole = over(kind.metrics(), (output, target))
    assert same(over(kind.metrics(), *zip(output.split(1), target.split(1), strict=True)), whole)
    assert same(over(kind.metrics(), *zip(output.split(77), target.split(77), strict=True)), whole)


@every_kind
def test_nothing_seen_is_nan_and_not_a_failure(kind: Kind) -> None:
    seen = kind.metrics().compute()
    assert seen
    assert all(map(math.isnan, seen.values()))


@pytest.mark.parametrize("kind", [k for k in KINDS if k.name != "void-negative"], ids=str)
def test_a_batch_without_any_label_changes_nothing(kind: Kind) -> None:
    output, target = split(kind)
    unlabelled = torch.full_like(target, torch.nan)
    broken = torch.full_like(output, torch.nan)
    whole = over(kind.metrics(), (output, target))
    assert same(over(kind.metrics(), (output, target), (broken, unlabelled)), whole)
    assert all(map(math.isnan, over(kind.metrics(), (output, unlabelled)).values()))


@every_kind
def test_an_output_that_is_not_a_number_makes_the_averages_nan(kind: Kind) -> None:
    output, target = split(kind)
    output[:] = torch.nan
    assert all(map(math.isnan, over(kind.metrics(), (output, target)).values()))
    output, target = split(kind)
    output[3] = torch.nan
    seen = over(kind.metrics(), (output, target), split(kind, seed=1))
    assert all(math.isnan(value) for name, value in seen.items() if "/" not in name)


@every_kind
def test_one_sample_is_enough(kind: Kind) -> None:
    seen = over(kind.metrics(), split(kind, 1, seed=3))
    assert all(value >= 0 for name, value in seen.items() if "/" not in name)


@every_kind
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("device", DEVICES)
def test_other_dtypes_and_devices_read_as_float32(
    kind: Kind, dtype: torch.dtype, device: str
) -> None:
    output, target = split(kind)
    output = output.to(dtype)
    expected = over(kind.metrics(), (output.float(), target))
    assert same(over(kind.metrics(), (output.to(device), target.to(device))), expected)


@every_kind
def test_memory_of_the_layout_does_not_matter(kind: Kind) -> None:
    output, target = split(kind)
    if output.dim() == 4:
        turned = output.to(memory_format=torch.channels_last)
        strided = target.movedim(1, -1).contiguous().movedim(-1, 1)
        expected = over(kind.metrics(), (output, target))
        assert same(over(kind.metrics(), (turned, strided)), expected)


@every_kind
def test_gradients_are_not_held(kind: Kind) -> None:
    output, target = split(kind)
    expected = over(kind.metrics(), (output, target))
    assert same(over(kind.metrics(), (output.requires_grad_(), target)), expected)


@every_kind
def test_reading_does_not_disturb(kind: Kind) -> None:
    metrics = kind.metrics()
    metrics.update(*split(kind, seed=1))
    metrics.compute()
    metrics.update(*split(kind, seed=2))
    once = over(kind.metrics(), split(kind, seed=1), split(kind, seed=2))
    assert same(metrics.compute(), once)


@every_kind
def test_every_metric_has_a_direction(kind: Kind) -> None:
    assert {sign(name) for name in kind.metrics().compute()} <= {-1, 1}
    assert set(DIRECTIONS.values()) == {"maximize", "minimize"}


@every_kind
def test_a_target_of_another_shape_is_refused(kind: Kind) -> None:
    output, target = split(kind)
    with pytest.raises(ParameterError, match=r"target must be shaped \(12, .*, got \(11, "):
        kind.metrics().update(output, target[:11])
    if kind.name != "depth":
        with pytest.raises(ParameterError, match=r"output must be shaped \[sample, \d, …\], got"):
            kind.metrics().update(output[:, :1], target[:, :1])
