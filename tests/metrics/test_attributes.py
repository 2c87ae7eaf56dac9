import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support
from torchmetrics.functional.classification import multilabel_f1_score

from mrtune.errors import ParameterError
from mrtune.metrics import AttributeMetrics, Combined
from tests.metrics.drawn import over, seeds

NAN = math.nan


def test_by_hand() -> None:
    """Attribute a: 1 right yes, 1 wrong yes, 1 missed, 1 right no. Attribute b: never a yes."""
    logits = torch.tensor([[2.0, -1.0], [0.1, -1.0], [-3.0, -1.0], [0.0, -1.0]])
    target = torch.tensor([[1.0, 1.0], [0.0, 0.0], [1.0, NAN], [0.0, 0.0]])
    assert over(AttributeMetrics(["a", "b"]), (logits, target)) == {
        "precision": 0.25,
        "recall": 0.25,
        "f_score": 0.25,
        "accuracy": (1 / 2 + 2 / 3) / 2,
        "f/a": 0.5,
        "f/b": 0.0,
    }


@given(
    seed=seeds,
    samples=st.integers(1, 40),
    rate=st.sampled_from([0.0, 0.02, 0.3, 1.0]),
    bias=st.sampled_from([-9.0, -1.0, 0.0, 9.0]),
)
def test_scikit_learn_agrees(seed: int, samples: int, rate: float, bias: float) -> None:
    """Attributes without a positive and without a yes among them."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(samples, 6, generator=generator) + bias
    target = (torch.rand(samples, 6, generator=generator) < rate).float()
    seen = over(AttributeMetrics(list("abcdef")), (logits, target))
    yes = torch.sigmoid(logits.double()) > 0.5
    each = precision_recall_fscore_support(target, yes, average=None, zero_division=0)[2]
    assert [seen[f"f/{name}"] for name in "abcdef"] == pytest.approx(each)
    mean = precision_recall_fscore_support(target, yes, average="macro", zero_division=0)[:3]
    assert [seen[k] for k in ("precision", "recall", "f_score")] == pytest.approx(mean)
    assert seen["accuracy"] == pytest.approx(
        np.mean([accuracy_score(target[:, i], yes[:, i]) for i in range(6)])
    )


@given(seed=seeds)
def test_missing_labels_are_skipped_attribute_by_attribute(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(30, 3, generator=generator)
    target = torch.randint(2, (30, 3), generator=generator).float()
    target[torch.rand(30, 3, generator=generator) < 0.4] = NAN
    seen = over(AttributeMetrics(list("abc")), (logits, target))
    scores = []
    for i in range(3):
        known = ~target[:, i].isnan()
        answer, truth = logits[known, i] > 0, target[known, i]
        scores.append(
            precision_recall_fscore_support(truth, answer, average="binary", zero_division=0)[:3]
        )
    expected = np.mean(scores, axis=0)
    assert [seen[k] for k in ("precision", "recall", "f_score")] == pytest.approx(expected)


def test_torchmetrics_agrees() -> None:
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(500, 40, generator=generator)
    target = torch.randint(2, (500, 40), generator=generator)
    seen = over(AttributeMetrics([str(i) for i in range(40)]), (logits, target))
    theirs = multilabel_f1_score(logits, target, num_labels=40)
    assert seen["f_score"] == pytest.approx(float(theirs), abs=1e-6)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.float16])
def test_labels_of_any_type_are_read(dtype: torch.dtype) -> None:
    target = torch.tensor([[1], [0], [1]]).to(dtype)
    assert over(AttributeMetrics(["a"]), (torch.tensor([[1.0], [1.0], [1.0]]), target))[
        "precision"
    ] == pytest.approx(2 / 3)


def test_a_logit_too_small_for_a_float16_sigmoid_still_counts() -> None:
    logits = torch.tensor([[1e-4], [-1e-4]], dtype=torch.float16)
    assert (torch.sigmoid(logits) == 0.5).all()
    assert over(AttributeMetrics(["a"]), (logits, torch.tensor([[1.0], [0.0]])))["accuracy"] == 1


def test_an_attribute_without_a_label_has_no_part_in_the_averages() -> None:
    logits, target = torch.ones(4, 2), torch.tensor([[1.0, NAN]] * 4)
    seen = over(AttributeMetrics(["a", "b"]), (logits, target))
    assert math.isnan(seen.pop("f/b"))
    assert set(seen.values()) == {1.0}


def test_a_broken_logit_spoils_its_own_attribute_only() -> None:
    logits = torch.tensor([[1.0, NAN], [1.0, 1.0]])
    seen = over(AttributeMetrics(["a", "b"]), (logits, torch.ones(2, 2)))
    assert seen["f/a"] == 1
    assert math.isnan(seen["f/b"])
    assert math.isnan(seen["f_score"])


def test_macro_is_over_attributes_and_not_over_groups() -> None:
    """A group of three perfect attributes and a group of one that always fails: 3/4, not 1/2."""
    metrics = Combined((AttributeMetrics(["a", "b", "c", "d"]), range(2)))
    ones = [torch.ones(5, 3), torch.ones(5, 1)]
    metrics.update([ones[0], -ones[1]], ones)
    assert metrics.compute()["f_score"] == 0.75


def test_celeba_labels_as_released_are_refused() -> None:
    """The file says −1 and 1; taken for missing, every negative would vanish in silence."""
    metrics = AttributeMetrics(["a", "b"])
    metrics.update(torch.zeros(3, 2), torch.tensor([[0.0, -1.0], [1.0, 1.0], [0.0, -1.0]]))
    rule = r"target must be 0, 1 or NaN \(no label\) everywhere, got \{'b': 2\}"
    with pytest.raises(ParameterError, match=rule):
        metrics.compute()


@pytest.mark.parametrize("names", [[], ["a", "a"]])
def test_names_are_needed_once_each(names: list[str]) -> None:
    with pytest.raises(ParameterError, match="names must be at least one, each of them once"):
        AttributeMetrics(names)
