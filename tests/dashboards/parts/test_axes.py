import pytest

from dashboards.parts.axes import Axis
from mrtune.study.dimensions import Dimension


def test_values_stand_between_the_ends_of_their_axis() -> None:
    assert Axis(Dimension("p", 0.2, 0.6)).place(0.3) == pytest.approx(0.25)
    assert Axis(Dimension("lr", 1e-5, 1e-3, log=True)).place(1e-4) == pytest.approx(0.5)
    assert Axis(Dimension("m", choices=("a", "b", "c"))).place("c") == 1.0
    assert Axis(Dimension("m", choices=("a",))).place("a") == 0.5
    assert Axis(Dimension("p", 0.5, 0.5)).place(0.5) == 0.5


@pytest.mark.parametrize(
    ("dimension", "texts"),
    [
        (Dimension("p", 0.3, 0.95), ["0.4", "0.6", "0.8"]),
        (Dimension("p", 0.1, 0.7), ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]),
        (Dimension("lr", 3e-5, 1e-2, log=True), ["0.0001", "0.001", "0.01"]),
        (Dimension("n", 64, 256, log=True), ["100", "150", "200", "250"]),
        (Dimension("m", choices=("<b>", 0.5, None)), ["&lt;b&gt;", "0.5", "–"]),
        (Dimension("p", 2.0, 2.0), ["2"]),
    ],
)
def test_ticks_are_round(dimension: Dimension, texts: list[str]) -> None:
    assert [text for _, text in Axis(dimension).ticks()] == texts
