import numpy as np
import pytest

from dashboards.parts.matrix import good_range, matrix, quantiles
from mrtune.study import TrialRecord
from tests.study.made import trial


def reported(epochs: list[float | None], values: list[float | None]) -> TrialRecord:
    return trial(0, "pruned", curves={"epoch": epochs, "f": values})


def test_curves_are_laid_out_by_epoch() -> None:
    found = matrix([reported([1, 2], [0.1, None]), reported([0.5, 2], [0.3, 0.4])], "f")
    assert found.epochs.tolist() == [0.5, 1.0, 2.0]
    np.testing.assert_equal(found.values, [[np.nan, 0.1, np.nan], [0.3, np.nan, 0.4]])


def test_very_many_epochs_are_merged_and_the_last_report_stands_for_a_step() -> None:
    epochs: list[float | None] = [i / 10 for i in range(1, 4001)]
    found = matrix([reported(epochs, [float(i) for i in range(1, 4001)])], "f")
    assert found.values.shape == (1, 200)
    np.testing.assert_allclose(found.epochs, np.arange(2, 401, 2))
    np.testing.assert_allclose(found.values[0], np.arange(20, 4001, 20))


def test_quantiles_are_numpys() -> None:
    values = np.random.default_rng(0).normal(size=(31, 5))
    values[20:, 1] = values[:30, 2] = np.nan
    found, counts = quantiles(values, (0.1, 0.5, 0.9))
    np.testing.assert_allclose(found, np.nanquantile(values, (0.1, 0.5, 0.9), axis=0))
    assert counts.tolist() == [31, 20, 1, 31, 31]


@pytest.mark.parametrize(("direction", "sign"), [("maximize", 1), ("minimize", -1)])
def test_bad_outliers_are_out_of_range_and_good_ones_never(direction: str, sign: int) -> None:
    values = sign * np.array([*np.linspace(0.5, 0.6, 50), 0.9, -100.0])
    low, high = sorted(sign * value for value in good_range(values, direction))
    assert high == 0.9
    assert 0.3 < low < 0.5
