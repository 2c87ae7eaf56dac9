"""Trials by what they do, whatever they did before."""

from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import TrialState

from mrtune.study.roll import Roll

STATES = list(TrialState)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(STATES))),
    st.sets(st.sampled_from(STATES)),
)
def test_a_trial_is_among_those_that_do_what_it_was_last_said_to_do(
    notes: list[tuple[int, TrialState]], asked: set[TrialState]
) -> None:
    roll = Roll()
    for number, state in notes:
        roll.note(number, state)
    last = dict(notes)
    assert roll.among(asked) == sorted(n for n, state in last.items() if state in asked)
