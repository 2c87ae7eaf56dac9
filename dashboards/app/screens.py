"""What an address shows: the address is all that a screen depends on, besides the studies."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

from dashboards.app.library import Library
from dashboards.app.ordering import ordered
from dashboards.blocks import Action, Block, Row, Table, Text
from dashboards.pages import VIEWS
from dashboards.parts.links import study_link
from dashboards.views import studies
from mrtune.errors import UsageError
from mrtune.study import StudyRecord

HOME = "/"
ACTIONS: Mapping[str, tuple[Action, ...]] = {
    "running": (
        Action("pause", "Pause"),
        Action("stop", "Stop: running trials finish", danger=True),
        Action("cancel", "Cancel: end running trials now", danger=True),
    ),
    "paused": (
        Action("run", "Resume"),
        Action("cancel", "Cancel: give up waiting trials", danger=True),
    ),
    "stopping": (Action("cancel", "Cancel: end running trials now", danger=True),),
}


@dataclass(frozen=True)
class Screen:
    """A page with its surroundings."""

    title: str
    question: str
    study: str | None  # the name of the study that it is about
    page: str
    state: str  # of the study, in a word
    actions: tuple[Action, ...]
    controls: tuple[Row, ...]
    content: tuple[Block, ...]


def screen(library: Library, path: str, search: str) -> Screen:
    """Return what an address shows; one that leads nowhere says so."""
    query = dict(parse_qsl(search.removeprefix("?")))
    try:
        if path == HOME:
            return _home(library, query)
        study, page = place(path)
        if study is None or page not in VIEWS:
            return _lost(f"there is no page at {path}")
        return _study(library.study(study), page, query)
    except UsageError as error:
        return _lost(str(error))


def place(path: str) -> tuple[str | None, str]:
    """Read study and page from the path of an address."""
    parts = path.strip("/").split("/")
    if len(parts) == 3 and parts[0] == "study":
        return unquote(parts[1]), parts[2]
    return None, ""


def _home(library: Library, query: Mapping[str, str]) -> Screen:
    blocks = _in_order(studies.blocks(library.studies(), query), HOME, query)
    return _screen(studies.TITLE, studies.QUESTION, None, "", "", (), blocks)


def _study(record: StudyRecord, page: str, query: Mapping[str, str]) -> Screen:
    view = VIEWS[page]
    blocks = _in_order(view.blocks(record, query), study_link(record.name, page), query)
    actions = ACTIONS.get(record.state, ())
    return _screen(view.TITLE, view.QUESTION, record.name, page, record.state, actions, blocks)


def _in_order(blocks: list[Block], path: str, query: Mapping[str, str]) -> list[Block]:
    return [ordered(b, path, query) if isinstance(b, Table) else b for b in blocks]


def _lost(reason: str) -> Screen:
    back = Text(f"{reason[:1].upper()}{reason[1:]}.", "warning")
    return _screen("Nothing here", "", None, "", "", (), [back])


def _screen(
    title: str,
    question: str,
    study: str | None,
    page: str,
    state: str,
    actions: tuple[Action, ...],
    blocks: list[Block],
) -> Screen:
    """Part the controls from the rest, which is drawn anew while they stay as they are."""
    controls = tuple(block for block in blocks if isinstance(block, Row))
    content = tuple(block for block in blocks if not isinstance(block, Row))
    return Screen(title, question, study, page, state, actions, controls, content)


def navigation(study: str) -> list[tuple[str, str, str]]:
    """List the pages of a study: key, title, address."""
    return [(key, view.TITLE, study_link(study, key)) for key, view in VIEWS.items()]
