import pytest

from dashboards.parts.measure import asked, choices
from dashboards.views import delta_r, roaming_p, selection
from mrtune.study import Objective, StudyRecord
from tests.dashboards.views.made import texts
from tests.dashboards.views.reading import controls
from tests.study.made import study, trial

ON_VAL = {"split": "val", "metric": "accuracy"}


def measured() -> StudyRecord:
    """Roaming gains in the objective, loses in accuracy, and gains less on the validation split."""
    return study(
        *(
            trial(
                2 * seed + roams,
                "complete",
                0.5 + 0.1 * roams + seed / 1000,
                params={"p": 0.5, "r": roams, "delta": 0.1, "method": "mr"},
                setting={"p": 0.5, "r": roams, "delta": 0.1, "method": "mr"},
                config=roams,
                seed=seed,
                metrics={
                    "f_score": 0.5 + 0.1 * roams + seed / 1000,
                    "accuracy": 0.9 - 0.1 * roams,
                    "val/f_score": 0.5 + 0.05 * roams + seed / 1000,
                    "val/accuracy": 0.9 - 0.2 * roams,
                    "f/Bald": 0.1,
                    "loss": 1.0,
                },
            )
            for seed in range(3)
            for roams in (0, 1)
        ),
        objectives=(Objective("f_score", "maximize"),),
    )


def gain(query: dict[str, str]) -> float:
    record = measured()
    (at,) = roaming_p.info(record, asked(record, query)).at
    return at.difference


def test_a_page_shows_what_its_address_asks_for() -> None:
    assert gain({}) == pytest.approx(0.1)
    assert gain({"split": "val"}) == pytest.approx(0.05)
    assert gain({"metric": "accuracy"}) == pytest.approx(-0.1)
    assert gain(ON_VAL) == pytest.approx(-0.2)


def test_what_nobody_reports_falls_back_to_the_objective() -> None:
    assert gain({"split": "test", "metric": "f/Bald"}) == pytest.approx(0.1)


@pytest.mark.parametrize("view", [roaming_p, delta_r])
def test_the_reader_can_choose_split_and_metric(view: object) -> None:
    page = view.blocks(measured(), ON_VAL)  # type: ignore[attr-defined]
    split, metric = controls(page)["split"], controls(page)["metric"]
    assert (split.value, metric.value) == ("val", "accuracy")
    assert list(metric.options) == ["f_score", "accuracy"]  # type: ignore[union-attr]
    assert "Accuracy" in texts(page)


def test_there_is_no_choice_where_one_thing_is_reported() -> None:
    params = {"method": "mr", "p": 0.5, "r": 1}
    searched = Objective("f_score", "maximize")
    only = trial(0, "complete", 0.5, params=params, metrics={"f_score": 0.5})
    record = study(only, objectives=(searched,))
    assert choices(record, asked(record, {})) == []


def test_selections_are_compared_by_what_is_asked_for() -> None:
    record = measured()
    fixed = selection.info(record, asked(record, ON_VAL)).fixed
    assert fixed is not None
    assert fixed.mean == pytest.approx(0.9)
