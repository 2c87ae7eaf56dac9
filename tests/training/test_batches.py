import torch
from hypothesis import given
from hypothesis import strategies as st

from mrtune.training.batches import Batches

sizes = st.tuples(st.integers(1, 200), st.integers(1, 64))


@given(sizes, st.integers(0, 2**31), st.integers(0, 50))
def test_an_epoch_sees_every_sample_once_in_even_batches(
    sizes: tuple[int, int], seed: int, epoch: int
) -> None:
    samples, batch_size = sizes
    batches = Batches(samples, batch_size, seed)
    start = epoch * batches.per_epoch
    seen = [batches.at(start + i) for i in range(batches.per_epoch)]
    assert sorted(torch.cat(seen).tolist()) == list(range(samples))
    lengths = {len(batch) for batch in seen}
    assert max(lengths) <= batch_size
    assert max(lengths) - min(lengths) <= 1


def test_a_batch_depends_on_seed_and_place_only() -> None:
    forward, jumped = Batches(100, 16, seed=3), Batches(100, 16, seed=3)
    walked = [forward.at(i) for i in range(20)]
    assert torch.equal(jumped.at(17), walked[17])
    assert torch.equal(jumped.at(2), walked[2])
    assert not torch.equal(Batches(100, 16, seed=4).at(2), walked[2])
    assert not torch.equal(walked[0], walked[forward.per_epoch])
