import torch
from hypothesis import given

from mrtune.roaming import cosine, uniform
from tests.roaming.drawn import Layer, layers, states


def brute_force(active: torch.Tensor, visited: torch.Tensor, weight: torch.Tensor) -> list:
    """The paper's sums over u and v, one pair at a time, with the signs that its text asks for."""

    def similarity(u: int, v: int) -> float:
        return float(torch.cosine_similarity(weight[u].reshape(-1), weight[v].reshape(-1), dim=0))

    chosen = []
    for row, seen in zip(active, visited, strict=True):
        held = row.nonzero().flatten().tolist()
        fresh = (~seen).nonzero().flatten().tolist()
        leaves = max(held, key=lambda u: sum(similarity(u, v) for v in held if v != u))
        enters = min(fresh, key=lambda u: sum(similarity(u, v) for v in held))
        chosen.append((leaves, enters))
    return chosen


def test_cosine_equals_the_brute_force_sums() -> None:
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        weight = torch.randn(12, 3, 3, 3, generator=generator, dtype=torch.float64)
        layer = Layer(12, 3, 0.5, 1.0, seed)
        state = layer.start().layers["layer"]
        preference = cosine(state.active, weight, generator)
        leaves = preference.leave.masked_fill(~state.active, -torch.inf).argmax(dim=1)
        enters = preference.enter.masked_fill(state.visited, -torch.inf).argmax(dim=1)
        expected = brute_force(state.active, state.visited, weight)
        assert list(zip(leaves.tolist(), enters.tolist(), strict=True)) == expected


def test_filters_are_not_scrambled_by_the_flattening() -> None:
    """Twin filters 0 and 1 are the redundant ones; `reshape(-1, units).T` would not see it."""
    weight = torch.zeros(4, 2, 2, 2)
    weight[0] = weight[1] = torch.arange(8.0).reshape(2, 2, 2) - 3.5
    weight[2, 0, 0, 0] = 1.0
    weight[3, 1, 1, 0] = 1.0
    active = torch.tensor([[True, True, True, False]])
    score = cosine(active, weight, torch.Generator()).leave[0]
    assert score[0] == score[1] > score[2]
    scrambled = weight.reshape(-1, 4).T.reshape(4, 2, 2, 2)
    wrong = cosine(active, scrambled, torch.Generator()).leave[0]
    assert not torch.allclose(score, wrong)


def test_a_dead_filter_is_no_ones_relative() -> None:
    weight = torch.zeros(3, 1, 1, 1)
    everyone = torch.ones(1, 3, dtype=torch.bool)
    assert not cosine(everyone, weight, torch.Generator()).leave.any()
    weight[1:] = 1.0  # two twins, each with a similarity of 1 to the other and 0 to the dead one
    assert cosine(everyone, weight, torch.Generator()).leave.tolist() == [[0.0, 1.0, 1.0]]


def test_cosine_does_not_touch_the_generator() -> None:
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state()
    cosine(torch.ones(1, 3, dtype=torch.bool), torch.ones(3, 1), generator)
    assert torch.equal(before, generator.get_state())


def test_uniform_prefers_no_unit() -> None:
    """Each of 8 units is on top with probability 1/8: 4,000 draws, five standard deviations."""
    generator = torch.Generator().manual_seed(0)
    active = torch.ones(4000, 8, dtype=torch.bool)
    for score in uniform(active, None, generator):
        share = torch.bincount(score.argmax(dim=1), minlength=8) / 4000
        assert (share - 1 / 8).abs().max() < 0.026


@given(layers)
def test_cosine_roams_without_chance(layer: Layer) -> None:
    """From the same first partition, the deterministic selection takes the same way."""
    layer = Layer(**(vars(layer) | {"selection": "cosine"}))
    roamer, other = layer.start(), layer.start()
    other.generator.manual_seed(layer.seed + 99)
    for iteration in range(1, 5):
        roamer.advance(iteration, layer.filters())
        other.advance(iteration, layer.filters())
        assert torch.equal(roamer.layers["layer"].active, other.layers["layer"].active)


def test_cosine_roams_to_the_end() -> None:
    seen = states(Layer(32, 4, 0.5, 1.0, seed=1, selection="cosine"))
    assert seen[-1].visited.all()
