"""A method: its parameters, checked, and how it builds its learner."""

from abc import ABC, abstractmethod
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from mrtune.methods.learner import Learner
from mrtune.methods.setup import Setup


class Method(BaseModel, ABC):
    """The parameters of a way to train T tasks; the first line of its docstring names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]

    @abstractmethod
    def build(self, setup: Setup) -> Learner:
        """Build the model and the rule by which it learns."""
