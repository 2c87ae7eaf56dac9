import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import jaccard_score
from torchmetrics.functional.classification import binary_accuracy, binary_jaccard_index

from mrtune.errors import ParameterError
from mrtune.metrics import Combined, DepthMetrics, NormalMetrics, SegmentationMetrics
from tests.metrics.drawn import depths, labels, maps, normals, over, seeds

NAN = math.nan


def image(*rows: list[float]) -> torch.Tensor:
    """One image, one row of pixels for each class."""
    return torch.tensor(rows)[None, :, None]


def test_by_hand() -> None:
    """Wall: 1 of 3 in common, 2 of 4 right. Bed: 2 of 2 in common, all 3 right, one void."""
    logits = image([1.0, 1.0, -1.0, -1.0], [1.0, 1.0, -1.0, 1.0])
    target = image([1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, -1.0])
    assert over(SegmentationMetrics(["wall", "bed"]), (logits, target)) == {
        "miou": (1 / 3 + 1) / 2,
        "pixel_accuracy": (1 / 2 + 1) / 2,
        "iou/wall": 1 / 3,
        "iou/bed": 1.0,
    }


@pytest.mark.parametrize("void", [-1.0, NAN])
def test_void_pixels_are_ignored_or_negatives(void: float) -> None:
    logits, target = image([1.0, 1.0, -1.0]), image([1.0, void, void])
    ignored = over(SegmentationMetrics(["a"]), (logits, target))
    assert (ignored["miou"], ignored["pixel_accuracy"]) == (1.0, 1.0)
    negative = over(SegmentationMetrics(["a"], void="negative"), (logits, target))
    assert (negative["miou"], negative["pixel_accuracy"]) == (1 / 2, 2 / 3)


def test_void_integers_are_ignored_too() -> None:
    logits, target = image([1.0, 1.0, -1.0]), image([1, -1, -1]).long()
    assert over(SegmentationMetrics(["a"]), (logits, target))["pixel_accuracy"] == 1
    seen = over(SegmentationMetrics(["a"], void="negative"), (logits, target))
    assert seen["pixel_accuracy"] == 2 / 3


@given(seed=seeds, images=st.integers(1, 4), bias=st.sampled_from([-9.0, -1.0, 0.0, 9.0]))
def test_scikit_learn_and_torchmetrics_agree(seed: int, images: int, bias: float) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(images, 3, 4, 5, generator=generator) + bias
    target = labels((images, 3, 4, 5), -1, generator)
    seen = over(SegmentationMetrics(["a", "b", "c"]), (logits, target))
    ious, accuracies = [], []
    for i, name in enumerate("abc"):
        answer, truth = (logits[:, i] > 0).long().flatten(), target[:, i].long().flatten()
        known = truth >= 0
        theirs = binary_jaccard_index(answer, truth, ignore_index=-1)
        ious.append(jaccard_score(truth[known], answer[known], zero_division=0))
        accuracies.append(float(binary_accuracy(answer, truth, ignore_index=-1)))
        assert seen[f"iou/{name}"] == pytest.approx(float(theirs), abs=1e-6)
        assert seen[f"iou/{name}"] == pytest.approx(ious[-1])
    assert seen["miou"] == pytest.approx(sum(ious) / 3)
    assert seen["pixel_accuracy"] == pytest.approx(sum(accuracies) / 3)


def test_iou_is_of_the_split_and_not_averaged_over_images() -> None:
    """Image 1: 1 of 1 pixels; image 2: 0 of 3. The split has 1 of 4, the images average 1/2."""
    logits = torch.cat([image([1.0, -1.0, -1.0]), image([1.0, 1.0, 1.0])])
    target = torch.cat([image([1.0, 0.0, 0.0]), image([0.0, 0.0, 0.0])])
    assert over(SegmentationMetrics(["a"]), (logits, target))["miou"] == 1 / 4


def test_a_class_that_is_nowhere_has_no_part_in_the_mean_iou() -> None:
    logits, target = image([1.0, -1.0], [-1.0, -1.0]), image([1.0, 0.0], [0.0, 0.0])
    seen = over(SegmentationMetrics(["here", "nowhere"]), (logits, target))
    assert math.isnan(seen["iou/nowhere"])
    assert (seen["miou"], seen["pixel_accuracy"]) == (1.0, 1.0)


def test_a_class_that_is_only_imagined_counts_as_zero() -> None:
    logits, target = image([1.0, -1.0], [1.0, -1.0]), image([1.0, 0.0], [0.0, 0.0])
    seen = over(SegmentationMetrics(["here", "imagined"]), (logits, target))
    assert (seen["iou/imagined"], seen["miou"]) == (0.0, 0.5)


def test_a_label_that_is_no_label_is_refused() -> None:
    metrics = SegmentationMetrics(["a"])
    metrics.update(image([1.0, 1.0]), image([1.0, 255.0]))
    with pytest.raises(ParameterError, match=r"0, 1 or -1 or NaN \(void\) everywhere, got"):
        metrics.compute()


def test_void_is_one_of_two_words() -> None:
    with pytest.raises(ParameterError, match="void must be one of ignore, negative, got 'skip'"):
        SegmentationMetrics(["a"], void="skip")  # type: ignore[arg-type]


def test_a_workload_of_15_tasks_reports_all_its_metrics() -> None:
    """NYUv2: 13 class maps of one channel, depth, normals."""
    names = [f"class{i}" for i in range(13)]
    metrics = Combined(
        (SegmentationMetrics(names), range(13)), (DepthMetrics(), [13]), (NormalMetrics(), [14])
    )
    generator = torch.Generator().manual_seed(0)
    pairs = [tuple(part[:, :1] for part in maps(2, generator)) for _ in range(13)]
    pairs += [depths(2, generator), normals(2, generator)]
    metrics.update([output for output, _ in pairs], [target for _, target in pairs])
    seen = metrics.compute()
    assert [name for name in seen if "/" not in name] == [
        "miou",
        "pixel_accuracy",
        "depth_abs_error",
        "depth_rel_error",
        "normals_mean_angle",
        "normals_median_angle",
    ]
    assert not any(map(math.isnan, seen.values()))


def test_a_metric_named_twice_is_refused() -> None:
    metrics = Combined((DepthMetrics(), [0]), (DepthMetrics(), [1]))
    with pytest.raises(ParameterError, match="metrics must be named once each"):
        metrics.compute()


def test_tasks_and_targets_must_be_as_many() -> None:
    metrics = Combined((DepthMetrics(), [0]))
    with pytest.raises(ParameterError, match="targets must be one for each of 1 tasks, got 2"):
        metrics.update([torch.ones(1)], [torch.ones(1), torch.ones(1)])
