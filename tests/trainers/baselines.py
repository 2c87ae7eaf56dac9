"""What can be said without looking at the picture: scores that a training has to beat."""

import numpy as np
from numpy.typing import NDArray

from mrtune.data.prepared import Prepared


def pixels(data: Prepared, key: str, split: str, shrink: int = 1) -> NDArray:
    return np.asarray(data.arrays[key][data.splits[split]][:, ::shrink, ::shrink], np.float64)


def always_yes(data: Prepared, split: str) -> float:
    """The macro F of saying yes to every attribute: 2q / (1 + q) at a base rate of q."""
    rates = data.arrays["label"][data.splits[split]].mean(axis=0)
    return float(np.mean(2 * rates / (1 + rates)))


def prior(data: Prepared, split: str) -> float:
    """The macro accuracy of each attribute's more frequent answer in train."""
    train, shown = (data.arrays["label"][data.splits[s]] for s in ("train", split))
    return float(np.mean(shown == (train.mean(axis=0) > 0.5)))


def majority_miou(data: Prepared, classes: int, split: str, shrink: int) -> float:
    """The mIoU of train's most frequent class everywhere; the other classes score 0."""
    train, shown = (pixels(data, "label", s, shrink) for s in ("train", split))
    counts = [(train == c).sum() for c in range(classes)]
    known = shown[shown >= 0]
    return float((known == np.argmax(counts)).mean() / classes)


def everywhere_miou(data: Prepared, classes: int, split: str, shrink: int) -> float:
    """The mIoU of claiming each class at every pixel, which one binary task a class may do."""
    shown = pixels(data, "label", split, shrink)
    known = shown[shown >= 0]
    shares = [(known == c).mean() for c in range(classes)]
    return float(np.mean([share for share in shares if share]))


def nothing_accuracy(data: Prepared, classes: int, split: str, shrink: int) -> float:
    """The mean pixel accuracy of denying each class at every pixel."""
    shown = pixels(data, "label", split, shrink)
    known = shown[shown >= 0]
    return float(np.mean([(known != c).mean() for c in range(classes)]))


def constant_depth_error(data: Prepared, split: str, shrink: int) -> float:
    """The absolute error of train's median depth, the best constant for it, or the mean's."""
    train, shown = (pixels(data, "depth", s, shrink) for s in ("train", split))
    train, shown = train[train > 0], shown[shown > 0]
    return float(min(np.abs(shown - guess).mean() for guess in (train.mean(), np.median(train))))


def constant_normal_angle(data: Prepared, split: str, shrink: int) -> float:
    """The mean angle, in degrees, to train's mean direction."""
    train, shown = (pixels(data, "normal", s, shrink).reshape(-1, 3) for s in ("train", split))
    unit = [n[n.any(axis=1)] for n in (train, shown)]
    train, shown = (n / np.linalg.norm(n, axis=1, keepdims=True) for n in unit)
    mean = train.mean(axis=0)
    cosine = shown @ (mean / np.linalg.norm(mean))
    return float(np.degrees(np.arccos(cosine.clip(-1, 1))).mean())
