import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, mean_absolute_percentage_error
from torchmetrics.functional import mean_absolute_error as torchmetrics_mae

from mrtune.metrics import DepthMetrics
from mrtune.metrics.exact_mean import ExactMean
from tests.metrics.drawn import depths, over, seeds

float32s = st.lists(st.floats(0, width=32, allow_infinity=False), min_size=1, max_size=50)


def test_by_hand() -> None:
    """2 m for 4 m is 50 % off, 3 m for 2 m is 50 % off, 1 m for 1 m is right."""
    output = torch.tensor([2.0, 3.0, 1.0, 9.0, 9.0, 9.0, 9.0])
    target = torch.tensor([4.0, 2.0, 1.0, 0.0, -1.0, math.nan, math.inf])
    seen = over(DepthMetrics(), (output, target))
    assert seen == {"depth_abs_error": 1.0, "depth_rel_error": pytest.approx(100 / 3)}


@given(seed=seeds)
def test_scikit_learn_and_torchmetrics_agree(seed: int) -> None:
    output, target = depths(3, torch.Generator().manual_seed(seed))
    seen = over(DepthMetrics(), (output, target))
    valid = target > 0
    truth, guess = target[valid].double(), output[valid].double()
    assert seen["depth_abs_error"] == pytest.approx(mean_absolute_error(truth, guess), rel=1e-6)
    assert seen["depth_abs_error"] == pytest.approx(float(torchmetrics_mae(guess, truth)), rel=1e-6)
    relative = 100 * mean_absolute_percentage_error(truth, guess)
    assert seen["depth_rel_error"] == pytest.approx(relative, rel=1e-6)


def test_a_prediction_that_is_off_by_a_quarter_reads_as_the_paper_prints_it() -> None:
    """NYUv2's table: 27.50 for MR, which is percent; its absolute error is in centimetres."""
    target = torch.full((2, 1, 4, 4), 250.0)
    seen = over(DepthMetrics(), (target * 1.275, target))
    assert seen["depth_rel_error"] == pytest.approx(27.5, rel=1e-6)
    assert seen["depth_abs_error"] == pytest.approx(68.75, rel=1e-6)


def test_an_infinite_prediction_is_not_averaged_away() -> None:
    output, target = torch.tensor([math.inf, 1.0]), torch.tensor([1.0, 1.0])
    assert all(map(math.isnan, over(DepthMetrics(), (output, target)).values()))


def test_float16_predictions_are_subtracted_in_float32() -> None:
    """In float16, 1000 − 1000.4 would be 0 or 0.5."""
    output = torch.tensor([1000.0], dtype=torch.float16)
    seen = over(DepthMetrics(), (output, torch.tensor([1000.4])))
    assert seen["depth_abs_error"] == pytest.approx(0.4, rel=1e-3)


@given(float32s)
def test_the_mean_is_correctly_rounded(values: list[float]) -> None:
    """From the smallest subnormal to the largest float32."""
    mean = ExactMean()
    tensor = torch.tensor(values, dtype=torch.float32)
    mean.update(tensor, torch.ones_like(tensor, dtype=torch.bool))
    assert mean.compute() == float(sum(map(Fraction, tensor.tolist())) / len(values))


def test_a_small_value_is_not_lost_beside_a_large_one() -> None:
    mean = ExactMean()
    for value in (2.0**60, 1.0, 1.0):
        mean.update(torch.tensor([value]), torch.tensor([True]))
    assert np.float32(2.0**60) + np.float32(1.0) == 2.0**60
    assert mean.compute() == (2**60 + 2) / 3
