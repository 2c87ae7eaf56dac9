"""TPE with more trials than it looks at."""

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from mrtune.search import thinned
from mrtune.search.thinned import Few, ThinnedTPE

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")

SPACE = {"x": FloatDistribution(0, 1)}


def tried(x: float, state: TrialState = TrialState.COMPLETE) -> FrozenTrial:
    value = 1 - abs(x - 0.7)
    return create_trial(
        state=state,
        params={"x": x},
        distributions=SPACE,
        value=value if state == TrialState.COMPLETE else None,
        intermediate_values={1: value},
    )


@pytest.fixture
def study() -> optuna.Study:
    study = optuna.create_study(direction="maximize")
    study.add_trials([tried(i / 400) for i in range(400)])
    study.add_trials([tried(i / 400, TrialState.PRUNED) for i in range(400)])
    return study


def proposals(study: optuna.Study) -> list[float]:
    found = []
    for seed in range(20):
        study.sampler = ThinnedTPE(seed, n_startup_trials=5, multivariate=True, group=True)
        found.append(study.ask().suggest_float("x", 0, 1))
    return found


def test_the_best_are_always_looked_at_and_the_rest_in_part(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinned, "ENOUGH", 100)
    monkeypatch.setattr(thinned, "BEST", 30)
    running = study.ask().number
    shown = Few(study, 0)._get_trials()
    assert len(shown) == 101
    assert running in {trial.number for trial in shown}
    assert [t.number for t in shown] == sorted(t.number for t in shown)
    complete = study.get_trials(states=(TrialState.COMPLETE,))
    best = sorted(complete, key=lambda t: -t.values[0])[:30]
    assert {t.number for t in best} <= {t.number for t in shown}
    pruned = [t for t in shown if t.state == TrialState.PRUNED]
    assert 20 < len(pruned) < 60  # of the rest, 400 of 770
    assert shown == Few(study, 0)._get_trials()
    assert shown != Few(study, 1)._get_trials()


def test_of_very_many_that_run_some_are_looked_at(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinned, "ENOUGH", 100)
    for _ in range(40):
        study.ask()
    shown = Few(study, 0)._get_trials(states=(TrialState.RUNNING,))
    assert len(shown) == 25


def test_few_trials_are_all_looked_at(study: optuna.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinned, "ENOUGH", 1000)
    found = []
    for kind in (ThinnedTPE, optuna.samplers.TPESampler):
        study.sampler = kind(seed=7, n_startup_trials=5, multivariate=True, group=True)
        trial = study.ask()
        found.append(trial.suggest_float("x", 0, 1))
        study.tell(trial, state=TrialState.FAIL)
    assert found[0] == found[1]


def test_proposals_from_a_part_are_as_good(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinned, "ENOUGH", 100)
    monkeypatch.setattr(thinned, "BEST", 30)
    near = [x for x in proposals(study) if abs(x - 0.7) < 0.1]
    assert len(near) >= 15  # at random, 4 of 20 would be


def test_several_objectives_are_left_to_optuna() -> None:
    study = optuna.create_study(directions=["maximize", "minimize"])
    assert ThinnedTPE(0)._thin(study) is study


def test_failed_trials_take_nobodys_place(
    study: optuna.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinned, "ENOUGH", 1000)
    study.add_trials([create_trial(state=TrialState.FAIL) for _ in range(1000)])
    assert len(Few(study, 0)._get_trials(states=thinned.LOOKED_AT)) == 800


def test_hyperband_proposes_as_with_optunas_own() -> None:
    found = []
    for kind in (ThinnedTPE, optuna.samplers.TPESampler):
        study = optuna.create_study(
            direction="maximize",
            pruner=optuna.pruners.HyperbandPruner(1, 9, 3),
            study_name="same",
        )
        study.add_trials([tried(i / 60) for i in range(60)])
        study.sampler = kind(seed=7, n_startup_trials=5, multivariate=True, group=True)
        found.append(study.ask().suggest_float("x", 0, 1))
    assert found[0] == found[1]
