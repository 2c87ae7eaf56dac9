import torch
from torch.nn import functional as F

from mrtune.training.losses import absolute_error, binary_cross_entropy

nan = float("nan")


def test_missing_labels_are_skipped() -> None:
    logits = torch.tensor([[0.3, -1.0], [2.0, 0.5]])
    target = torch.tensor([[1.0, nan], [nan, 0.0]])
    expected = F.binary_cross_entropy_with_logits(
        torch.tensor([0.3, 0.5]), torch.tensor([1.0, 0.0])
    )
    assert torch.allclose(binary_cross_entropy(logits, target), expected)
    depth = absolute_error(torch.tensor([1.0, 5.0]), torch.tensor([nan, 2.0]))
    assert float(depth) == 3.0


def test_missing_labels_have_no_gradient() -> None:
    logits = torch.zeros(4, requires_grad=True)
    binary_cross_entropy(logits, torch.tensor([1.0, nan, 0.0, nan])).backward()
    assert logits.grad is not None
    assert (logits.grad == 0).tolist() == [False, True, False, True]


def test_a_batch_without_any_label_is_a_loss_of_zero() -> None:
    for loss in (binary_cross_entropy, absolute_error):
        output = torch.ones(3, requires_grad=True)
        value = loss(output, torch.full((3,), nan))
        value.backward()
        assert value.item() == 0.0
        assert output.grad is not None
        assert not output.grad.any()


def test_full_labels_give_the_usual_losses() -> None:
    generator = torch.Generator().manual_seed(0)
    output = torch.randn(8, 3, generator=generator)
    target = torch.randint(2, (8, 3), generator=generator).float()
    usual = F.binary_cross_entropy_with_logits(output, target)
    assert torch.allclose(binary_cross_entropy(output, target), usual)
    assert torch.allclose(absolute_error(output, target), F.l1_loss(output, target))
