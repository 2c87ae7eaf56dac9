"""The pages of a study, in the order in which they are offered."""

from collections.abc import Mapping
from typing import Protocol

from dashboards.blocks import Block
from dashboards.views import (
    asha,
    attributes,
    benchmark,
    cluster,
    curves,
    delta_r,
    explore,
    overview,
    roaming_p,
    seeds,
    selection,
    trial,
)
from mrtune.study import StudyRecord

Query = Mapping[str, str]


class View(Protocol):
    """A page about one study."""

    TITLE: str
    QUESTION: str

    def blocks(self, record: StudyRecord, query: Query) -> list[Block]:
        """Lay the page out."""


VIEWS: Mapping[str, View] = {
    "overview": overview,
    "roaming-p": roaming_p,
    "delta-r": delta_r,
    "selection": selection,
    "benchmark": benchmark,
    "attributes": attributes,
    "asha": asha,
    "curves": curves,
    "explore": explore,
    "seeds": seeds,
    "trial": trial,
    "cluster": cluster,
}
