from typing import Any

import numpy as np
import pytest

from dashboards.views import asha
from mrtune.study import Objective, Rung, StudyRecord, TrialRecord
from tests.dashboards.views.reading import facts, figures, rows, table, tables, words
from tests.study.made import study, trial


def ran(number: int, state: str, *values: float | None, **more: Any) -> TrialRecord:
    """A trial that has reported once an epoch."""
    curves = {"epoch": [float(i) for i in range(1, len(values) + 1)], "f": list(values)}
    end = values[-1] if state == "complete" else None
    return trial(number, state, end, curves=curves, **more)


def verdicts(*found: tuple[float, float | None, bool]) -> dict[str, Any]:
    """At rung n, epoch 2ⁿ."""
    rungs = [Rung(n, 2.0**n, value, needed, kept) for n, (value, needed, kept) in enumerate(found)]
    return {"rungs": tuple(rungs)}


def halved(**more: Any) -> StudyRecord:
    """Configuration 0 has two seeds, which differ by 0.02 at the first rung, 0.04 at the second."""
    return study(
        ran(0, "complete", 0.5, 0.6, 0.7, **verdicts((0.5, None, True), (0.6, None, True))),
        ran(1, "pruned", 0.49, **verdicts((0.49, 0.5, False))),
        ran(2, "pruned", 0.3, **verdicts((0.3, 0.5, False))),
        ran(3, "pruned", 0.55, 0.5, **verdicts((0.55, 0.5, True), (0.5, 0.6, False))),
        ran(
            4,
            "complete",
            0.52,
            0.64,
            0.8,
            config=0,
            seed=1,
            **verdicts((0.52, 0.55, True), (0.64, 0.6, True)),
        ),
        ran(5, "pruned", 0.6, **verdicts((0.6, 0.5, True))),
        ran(6, "running", 0.2),
        space={"budget": {"epochs": 3, "reduction": 3}, "pruner": "asha"},
        **more,
    )


def test_rungs_count_who_came_and_who_passed() -> None:
    found = asha.info(halved())
    assert [(level.came, level.passed) for level in found.levels] == [(6, 4), (3, 2)]
    assert [(level.first, level.last) for level in found.levels] == [(1.0, 1.0), (2.0, 2.0)]


def test_the_closest_calls_come_first() -> None:
    page = asha.blocks(halved(), {})
    assert [row[:5] for row in table(page, "stopped")] == [
        ["1", "1", "0.49", "0.5", "0.01"],
        ["3", "2", "0.5", "0.6", "0.1"],
        ["2", "1", "0.3", "0.5", "0.2"],
        ["5", "1", "0.6", "–", "–"],
    ]
    assert rows(page, "stopped")[0][0].link == "/study/s/trial?trial=1"
    assert "Stopped by hand, not by a rung: 1." in words(page)


def test_seed_noise_is_pooled_within_configuration_and_rung() -> None:
    found = asha.info(halved())
    # Squares of 0.01 and 0.02 about two means, twice each, over two degrees of freedom.
    assert found.noise == pytest.approx(((2 * 0.01**2 + 2 * 0.02**2) / 2) ** 0.5)
    assert found.close_calls == 1
    assert facts(asha.blocks(halved(), {}))["within seed noise"] == "1 of 3"


def test_without_seeds_the_closest_call_is_told() -> None:
    record = study(
        ran(0, "complete", 0.5, **verdicts((0.5, None, True))),
        ran(1, "pruned", 0.4, **verdicts((0.4, 0.5, False))),
    )
    assert "closest call was trial 1, 0.1 away" in words(asha.blocks(record, {}))


def test_agreement_is_spearmans_over_complete_trials() -> None:
    early, late = [0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.6, 0.8, 0.7, 0.9]
    record = study(
        *(
            ran(i, "complete", at_rung, at_end, **verdicts((at_rung, None, True)))
            for i, (at_rung, at_end) in enumerate(zip(early, late, strict=True))
        )
    )
    (level,) = asha.info(record).levels
    assert level.agreement == pytest.approx(1 - 6 * 2 / (5 * 24))  # two places differ by one


def test_rows_of_the_heat_map_are_sorted_by_how_far_they_came_then_by_value() -> None:
    heat = asha.info(halved()).heat
    assert heat.numbers == (4, 0, 3, 5, 1, 2, 6)
    np.testing.assert_allclose(heat.values[0], [0.52, 0.64, 0.8])
    np.testing.assert_allclose(heat.values[2], [0.55, 0.5, np.nan])


def test_of_many_rows_some_of_every_rank_are_shown_and_the_page_says_so() -> None:
    record = study(*(ran(i, "complete", 1 - i / 1000) for i in range(450)))
    heat = asha.info(record).heat
    assert len(heat.numbers) == 200
    assert heat.numbers[:3] == (0, 2, 4)
    assert heat.numbers[-1] >= 445
    assert "200 of 450 trials" in words(asha.blocks(record, {}))


def test_other_rules_show_when_trials_were_stopped() -> None:
    record = study(
        ran(0, "complete", 0.1, 0.2, 0.3),
        ran(1, "pruned", 0.1),
        ran(2, "pruned", 0.1, 0.2),
        ran(3, "pruned", 0.3, 0.1),
        space={"budget": {"epochs": 3}, "pruner": "median"},
    )
    page = asha.blocks(record, {})
    assert set(figures(page)) == {"stops", "heat"}
    (bars,) = figures(page)["stops"].data
    assert dict(zip(bars.x, bars.y, strict=True)) == {1.0: 1, 2.0: 2}
    assert "levels" not in tables(page)


def test_less_is_better_turns_the_colours_round() -> None:
    record = study(ran(0, "complete", 0.5), objectives=(Objective("f", "minimize"),))
    (heat,) = figures(asha.blocks(record, {}))["heat"].data
    assert heat.reversescale


def test_a_search_that_stops_nothing_says_so() -> None:
    assert "No trial has been stopped early" in words(asha.blocks(study(ran(0, "complete", 1)), {}))
