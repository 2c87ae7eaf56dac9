import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torchmetrics.functional import pairwise_cosine_similarity

from mrtune.metrics import NormalMetrics
from tests.metrics.drawn import normals, over, seeds

BOUND = 2e-4  # degrees, as the class promises


def tilted(degrees: list[float]) -> tuple[torch.Tensor, torch.Tensor]:
    """Targets straight up, predictions tilted by given angles: [pixel, 3]."""
    angles = torch.tensor(degrees, dtype=torch.float64).deg2rad()
    output = torch.stack([angles.sin(), torch.zeros_like(angles), angles.cos()], dim=1)
    return output.float(), torch.tensor([[0.0, 0.0, 1.0]]).expand_as(output)


def angles_of(output: torch.Tensor, target: torch.Tensor) -> np.ndarray:
    """Unrounded angles in float64, in degrees, of the valid pixels."""
    one, other = output.double().movedim(1, -1), target.double().movedim(1, -1)
    known = (other != 0).any(dim=-1)
    one, other = one[known], other[known]
    sine = torch.linalg.cross(one, other).norm(dim=-1)
    return torch.atan2(sine, (one * other).sum(dim=-1)).rad2deg().numpy()


def test_by_hand() -> None:
    seen = over(NormalMetrics(), tilted([0, 45, 90, 180]))
    assert seen == {
        "normals_mean_angle": pytest.approx(78.75, abs=1e-9),
        "normals_median_angle": pytest.approx(67.5, abs=1e-9),
    }


def test_a_perfect_prediction_is_exactly_zero_off() -> None:
    _, target = normals(4, torch.Generator().manual_seed(0))
    assert set(over(NormalMetrics(), (target * 3, target)).values()) == {0.0}


@given(st.lists(st.floats(0, 180), min_size=1, max_size=30))
def test_angles_are_within_the_stated_bound(degrees: list[float]) -> None:
    seen = over(NormalMetrics(), tilted(degrees))
    assert seen["normals_mean_angle"] == pytest.approx(np.mean(degrees), abs=BOUND)
    assert seen["normals_median_angle"] == pytest.approx(np.median(degrees), abs=BOUND)


@given(seed=seeds, images=st.integers(1, 5), noise=st.sampled_from([1e-4, 0.1, 1.0, 10.0]))
def test_numpy_agrees(seed: int, images: int, noise: float) -> None:
    generator = torch.Generator().manual_seed(seed)
    _, target = normals(images, generator)
    output = target + noise * torch.randn(target.shape, generator=generator)
    expected = angles_of(output, target)
    seen = over(NormalMetrics(), (output, target))
    assert seen["normals_mean_angle"] == pytest.approx(expected.mean(), abs=BOUND)
    assert seen["normals_median_angle"] == pytest.approx(np.median(expected), abs=BOUND)


def test_torchmetrics_agrees() -> None:
    generator = torch.Generator().manual_seed(0)
    output, target = torch.randn(2, 200, 3, generator=generator, dtype=torch.float64)
    cosine = pairwise_cosine_similarity(output, target).diagonal()
    expected = cosine.clamp(-1, 1).acos().rad2deg()
    seen = over(NormalMetrics(), (output, target))
    assert seen["normals_mean_angle"] == pytest.approx(float(expected.mean()), abs=BOUND)


def test_the_median_is_of_all_pixels_and_not_of_the_batches() -> None:
    batches = [tilted([1, 1, 1, 1, 1]), tilted([80]), tilted([90])]
    seen = over(NormalMetrics(), *batches)
    assert seen["normals_median_angle"] == pytest.approx(1, abs=BOUND)


@pytest.mark.parametrize("scale", [1e-38, 1e-20, 1.0, 1e20, 1e38])
def test_the_length_of_a_prediction_does_not_matter(scale: float) -> None:
    output, target = tilted([10, 20, 60])
    seen = over(NormalMetrics(), (output * scale, target))
    assert seen["normals_mean_angle"] == pytest.approx(30, abs=BOUND)


def test_a_predicted_zero_vector_is_a_right_angle_off() -> None:
    _, target = tilted([0])
    seen = over(NormalMetrics(), (torch.zeros(1, 3), target))
    assert seen["normals_median_angle"] == 90


@pytest.mark.parametrize("target", [[0.0, 0.0, 0.0], [math.nan, 0.0, 1.0], [math.inf, 0.0, 1.0]])
def test_an_unknown_target_is_skipped(target: list[float]) -> None:
    output, known = tilted([30, 120])
    known = known.clone()
    known[1] = torch.tensor(target)
    seen = over(NormalMetrics(), (output, known))
    assert seen["normals_mean_angle"] == pytest.approx(30, abs=BOUND)


def test_components_that_cancel_are_a_known_target() -> None:
    """The released code takes (1, −1, 0) for unknown, since its components sum to 0."""
    vector = torch.tensor([[1.0, -1.0, 0.0]])
    assert over(NormalMetrics(), (vector, vector))["normals_mean_angle"] == 0


def test_state_does_not_grow_with_the_split() -> None:
    metrics = NormalMetrics()
    before = metrics._histogram.nbytes
    for seed in range(20):
        metrics.update(*normals(8, torch.Generator().manual_seed(seed)))
    assert metrics._histogram.nbytes == before < 9e6
