import math
import random

import pytest
from scipy import stats

from dashboards.parts.anova import anova, f_tail


@pytest.mark.parametrize("between", [1, 2, 7, 23])
@pytest.mark.parametrize("within", [1, 3, 96, 500])
@pytest.mark.parametrize("f", [0.01, 0.9, 3.3, 40.0])
def test_the_tail_is_that_of_scipy(between: int, within: int, f: float) -> None:
    assert f_tail(f, between, within) == pytest.approx(stats.f.sf(f, between, within), rel=1e-9)


def test_uneven_groups_give_what_scipy_gives() -> None:
    rng = random.Random(3)
    groups = [[rng.gauss(i / 4, 1) for _ in range(2 + i)] for i in range(5)]
    found = anova(groups)
    expected = stats.f_oneway(*groups)
    assert (found.f, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_groups_without_a_second_value_tell_no_noise() -> None:
    found = anova([[0.1], [0.3]])
    assert found.between == pytest.approx(math.sqrt(0.02))
    assert math.isnan(found.within)
    assert math.isnan(found.p)


def test_groups_that_are_all_alike_are_flat_and_noiseless_ones_are_not() -> None:
    assert anova([[1, 1], [1, 1]]).p == 1
    assert anova([[1, 1], [2, 2]]).p == 0


def test_one_group_or_none_has_nothing_to_compare() -> None:
    assert math.isnan(anova([[0.1, 0.2]]).p)
    assert math.isnan(anova([]).p)


def test_the_margin_of_two_means_is_that_of_a_t_test() -> None:
    one, other = [1.0, 2.0, 4.0], [3.0, 6.0]
    found = anova([one, other])
    told = stats.ttest_ind(one, other).confidence_interval()
    assert found.margin(3, 2) == pytest.approx((told.high - told.low) / 2)
    assert math.isnan(anova([[1.0], [2.0]]).margin(1, 1))
