"""The trials of a study by what they do now."""

from collections import defaultdict
from collections.abc import Container

from optuna.trial import TrialState


class Roll:
    """Finds the few trials in a state among very many."""

    def __init__(self) -> None:
        self._states: dict[int, TrialState] = {}  # of trials, by their numbers
        self._numbers: dict[TrialState, set[int]] = defaultdict(set)

    def note(self, number: int, state: TrialState) -> None:
        """Note what a trial does now."""
        before = self._states.get(number, state)
        self._numbers[before].discard(number)
        self._numbers[state].add(number)
        self._states[number] = state

    def among(self, states: Container[TrialState]) -> list[int]:
        """Return the numbers of the trials in some states, in their order."""
        chosen = (numbers for state, numbers in self._numbers.items() if state in states)
        return sorted(set[int]().union(*chosen))
