import math
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mrtune.errors import ParameterError
from mrtune.metrics import Paired, Summary, compare, holm, paired, summaries, summarise
from mrtune.metrics.paired import signed_rank_test
from mrtune.metrics.student import two_sided_p, two_sided_quantile

NAN = math.nan
# Multiples of 1/1024, so that adding and subtracting them is exact and alike means alike.
differences = st.lists(
    st.integers(-100_000, 100_000).map(lambda k: k / 1024), min_size=2, max_size=10
)


def by_seed(*values: float) -> dict[int, float]:
    return dict(enumerate(values))


def same(one: Paired, other: Paired) -> bool:
    return repr(one) == repr(other)


@given(t=st.floats(-50, 50), df=st.integers(1, 60))
def test_scipy_agrees_on_students_t(t: float, df: int) -> None:
    assert two_sided_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9, abs=1e-14)


@given(confidence=st.floats(0.01, 0.999), df=st.integers(1, 60))
def test_scipy_agrees_on_its_quantiles(confidence: float, df: int) -> None:
    expected = stats.t.ppf((1 + confidence) / 2, df)
    assert two_sided_quantile(confidence, df) == pytest.approx(expected, rel=1e-9)


@given(differences)
def test_scipy_agrees_on_the_paired_t_test(values: list[float]) -> None:
    reference = np.arange(len(values), dtype=float)
    method = reference + values
    if len({*(method - reference)}) == 1:
        return  # its own test, below
    found = paired(by_seed(*method), by_seed(*reference))
    theirs = stats.ttest_rel(method, reference)
    interval = theirs.confidence_interval(0.95)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-13)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6)
    assert found.effect == pytest.approx(theirs.statistic / math.sqrt(len(values)), rel=1e-6)


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_scipy_agrees_on_the_signed_rank_test_with_ties_and_zeros(values: list[int]) -> None:
    moved = [value for value in values if value]
    if len(moved) < 2:
        assert signed_rank_test(values) == 1
        return
    exact = stats.PermutationMethod(n_resamples=2**12)
    theirs = stats.wilcoxon(moved, method=exact)
    assert signed_rank_test(values) == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize(("n", "least"), [(3, 0.25), (4, 0.125), (5, 0.0625), (10, 2 / 1024)])
def test_few_seeds_can_never_be_significant_by_ranks(n: int, least: float) -> None:
    """The reason why the t-test is the default."""
    values = by_seed(*(float(i + 1) for i in range(n)))
    zeros = by_seed(*[0.0] * n)
    assert paired(values, zeros, test="signed-rank").p == least


def test_paired_by_hand() -> None:
    """Differences 1, 2, 3: mean 2, std 1, t = 2√3 at df 2, so p = 1 − t/√(2 + t²)."""
    found = paired(by_seed(2.0, 4.0, 6.0), by_seed(1.0, 2.0, 3.0))
    t = 2 * math.sqrt(3)
    assert (found.n, found.difference, found.effect) == (3, 2.0, 2.0)
    assert found.p == pytest.approx(1 - t / math.sqrt(2 + t * t))
    assert found.high == pytest.approx(2 + 4.302652729911275 / math.sqrt(3))
    assert found.low == pytest.approx(2 - 4.302652729911275 / math.sqrt(3))


def test_only_common_seeds_are_paired() -> None:
    method, reference = {1: 5.0, 2: 7.0, 3: 1.0}, {2: 6.0, 3: 2.0, 4: 9.0}
    assert same(paired(method, reference), paired(by_seed(7.0, 1.0), by_seed(6.0, 2.0)))
    assert paired(method, reference).n == 2


@pytest.mark.parametrize("test", ["t", "signed-rank"])
@pytest.mark.parametrize(
    ("method", "reference", "expected"),
    [
        ({}, {}, Paired(0, NAN, NAN, NAN, NAN, NAN)),
        ({1: 1.0}, {2: 1.0}, Paired(0, NAN, NAN, NAN, NAN, NAN)),
        ({1: 3.0}, {1: 1.0}, Paired(1, 2.0, NAN, NAN, NAN, NAN)),
        ({1: 3.0, 2: NAN}, {1: 1.0, 2: 1.0}, Paired(2, NAN, NAN, NAN, NAN, NAN)),
        ({1: 3.0, 2: math.inf}, {1: 1.0, 2: math.inf}, Paired(2, NAN, NAN, NAN, NAN, NAN)),
        ({1: 3.0, 2: 4.0}, {1: 3.0, 2: 4.0}, Paired(2, 0.0, 0.0, 0.0, 0.0, 1.0)),
    ],
)
def test_degenerate_pairs_have_a_stated_answer(
    method: dict[int, float], reference: dict[int, float], expected: Paired, test: str
) -> None:
    assert same(paired(method, reference, test), expected)


def test_differences_that_are_all_alike_give_the_limit() -> None:
    better = paired(by_seed(2.0, 3.0, 4.0), by_seed(1.0, 2.0, 3.0))
    assert same(better, Paired(3, 1.0, 1.0, 1.0, math.inf, 0.0))
    worse = paired(by_seed(1.0, 2.0, 3.0), by_seed(2.0, 3.0, 4.0), test="signed-rank")
    assert same(worse, Paired(3, -1.0, -1.0, -1.0, -math.inf, 0.25))


def test_nonsense_is_refused_by_name_rule_and_value() -> None:
    with pytest.raises(ParameterError, match="test must be one of t, signed-rank, got 'f'"):
        paired({}, {}, test="f")
    with pytest.raises(ParameterError, match=r"confidence must be .* between 0 and 1, got 95"):
        paired({}, {}, confidence=95)
    with pytest.raises(ParameterError, match="reference must be one of mtl, got 'stl'"):
        compare({"mtl": {}}, "stl", ["miou"])


def test_holm_by_hand() -> None:
    """Sorted 0.01·4, 0.02·3, 0.03·2, 0.04·1, and never less than the one before."""
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


def test_holm_leaves_tests_that_were_not_made_out_of_the_family() -> None:
    assert repr(holm([NAN, 0.02, NAN, 0.03])) == repr([NAN, 0.04, NAN, 0.04])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(p_values: list[float]) -> None:
    corrected = holm(p_values)
    pairs = sorted(zip(p_values, corrected, strict=True))
    assert [c for _, c in pairs] == sorted(corrected)
    assert all(p <= c <= min(1, p * len(p_values)) for p, c in pairs)


def test_holm_keeps_its_promise_over_many_experiments() -> None:
    """Ten methods that differ by chance, five seeds: any call in at most 5 % (± 3) of 400 runs."""
    rng = np.random.default_rng(0)
    families = 0
    for _ in range(400):
        scores = rng.normal(size=(11, 5))
        p_values = [paired(by_seed(*row), by_seed(*scores[0])).p for row in scores[1:]]
        families += min(holm(p_values)) < 0.05
    assert families / 400 < 0.08


def test_summarise() -> None:
    assert summarise([1.0, 2.0, 4.0]) == Summary(mean([1, 2, 4]), stdev([1, 2, 4]), 3)
    assert repr(summarise([2.0])) == repr(Summary(2.0, NAN, 1))
    assert repr(summarise([])) == repr(Summary(NAN, NAN, 0))
    assert repr(summarise([1.0, NAN])) == repr(Summary(NAN, NAN, 2))
    assert repr(summarise([1.0, math.inf])) == repr(Summary(NAN, NAN, 2))


RESULTS = {
    "mtl": {s: {"miou": 0.50 + 0.01 * s, "depth_abs_error": 2.0 + 0.1 * s} for s in range(3)},
    "mr": {
        0: {"miou": 0.60, "depth_abs_error": 1.0},
        1: {"miou": 0.62, "depth_abs_error": 1.2},
        2: {"miou": 0.61, "depth_abs_error": 1.1},
    },
    "tr": {0: {"miou": 0.4}},
}


def test_methods_are_summarised_over_the_seeds_that_report() -> None:
    table = summaries(RESULTS, ["miou", "depth_abs_error"])
    assert table["mr"]["miou"] == Summary(pytest.approx(0.61), pytest.approx(0.01), 3)
    assert repr(table["tr"]["miou"]) == repr(Summary(0.4, NAN, 1))
    assert repr(table["tr"]["depth_abs_error"]) == repr(Summary(NAN, NAN, 0))


def test_a_positive_difference_is_for_the_better_whatever_the_direction() -> None:
    found = {(c.method, c.metric): c for c in compare(RESULTS, "mtl", ["miou", "depth_abs_error"])}
    assert found["mr", "miou"].paired.difference == pytest.approx(0.10)
    assert found["mr", "depth_abs_error"].paired.difference == pytest.approx(1.0)
    assert found["tr", "miou"].paired.difference == pytest.approx(-0.1)
    assert found["tr", "depth_abs_error"].paired.n == 0


def test_all_comparisons_of_a_call_are_one_family() -> None:
    """Two of the four can be tested: the smaller p counts twice."""
    found = compare(RESULTS, "mtl", ["miou", "depth_abs_error"])
    made = sorted((c.paired.p, c.p_holm) for c in found if not math.isnan(c.paired.p))
    assert len(made) == 2
    assert made[0][1] == pytest.approx(2 * made[0][0])
    assert all(math.isnan(c.p_holm) for c in found if c.method == "tr")
