"""What addresses show, asked of the app without a browser."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from dashboards.app.library import Library
from dashboards.app.screens import place, screen
from dashboards.blocks import Table, Text
from dashboards.pages import VIEWS
from dashboards.parts.links import study_link
from mrtune.errors import StorageFailed
from mrtune.study import close_storage, load_study, open_storage
from mrtune.study.keys import CONTROL
from tests.dashboards.app.conftest import TOKEN
from tests.search.bench import Bench, work

SHOW = "..head.children...controls.children...content.children...shown.data...moment.children.."


def ask(client: FlaskClient, output: str, inputs: list[dict[str, Any]], **more: Any) -> Any:
    """Send what the page's script sends."""
    client.get(f"/?token={TOKEN}")
    body = {"output": output, "inputs": inputs, **more}
    answer = client.post("/_dash-update-component", json=body)
    return json.loads(answer.get_data()) if answer.get_data() else None


def show(client: FlaskClient, path: str, shown: dict[str, Any], whole: bool = False) -> Any:
    inputs = [
        {"id": "address", "property": "pathname", "value": path},
        {"id": "address", "property": "search", "value": ""},
        {"id": "tick", "property": "n_intervals", "value": 1},
    ]
    outputs = [
        {"id": id_, "property": property_}
        for id_, property_ in (part.split(".") for part in SHOW.strip(".").split("..."))
    ]
    state = [{"id": "shown", "property": "data", "value": shown}]
    more = {"outputs": outputs, "state": state, "changedPropIds": ["tick.n_intervals"]}
    answer = ask(client, SHOW, inputs, **more)
    return answer if whole else answer["response"]


def test_what_has_not_changed_is_not_sent_again(client: FlaskClient) -> None:
    first = show(client, "/study/mine/overview", {})
    assert "content" in first
    again = show(client, "/study/mine/overview", first["shown"]["data"])
    assert {"head", "controls", "content"}.isdisjoint(again)
    assert "as of" in again["moment"]["children"]


def test_only_the_blocks_that_changed_are_renewed(client: FlaskClient) -> None:
    first = show(client, "/study/mine/overview", {})["shown"]["data"]
    place = next(i for i, name in enumerate(first["layout"]) if name.startswith("figure"))
    first["blocks"][place] = "other"
    answer = show(client, "/study/mine/overview", first, whole=True)
    assert list(answer["sideUpdate"]) == ["figure-overview"]
    assert "content" not in answer["response"]


@pytest.mark.parametrize("view", VIEWS)
def test_every_page_of_a_study_has_content(library: Library, view: str) -> None:
    seen = screen(library, study_link("mine", view), "")
    assert seen.title == VIEWS[view].TITLE
    assert seen.content


@pytest.mark.parametrize("path", ["/nowhere", "/study/mine/nowhere", "/study/other/overview"])
def test_an_address_that_leads_nowhere_says_so(library: Library, path: str) -> None:
    (block,) = screen(library, path, "").content
    assert isinstance(block, Text)
    assert block.kind == "warning"


def test_any_name_of_a_study_has_an_study_link() -> None:
    name = "a/b ü?&#%"
    assert place(study_link(name, "curves")) == (name, "curves")
    assert quote("/", safe="") in study_link(name)


def test_all_studies_are_on_the_first_page(library: Library) -> None:
    table = next(block for block in screen(library, "/", "").content if isinstance(block, Table))
    assert [row[0].text for row in table.rows] == ["mine"]


def test_new_trials_are_seen_without_reading_old_ones_again(
    bench: Bench, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboards.app.library.FRESH", 0.0)
    before = library.study("mine")
    bench.name = "other"
    bench.begin(trials=2)
    work(bench.sweep())
    after = library.study("mine")
    assert [id(trial) for trial in after.trials] == [id(trial) for trial in before.trials]
    assert len(library.studies()) == 2


def test_a_request_reaches_the_study(bench: Bench, client: FlaskClient) -> None:
    button = {"kind": "action", "request": "pause", "trial": "None"}
    name = json.dumps(button, sort_keys=True, separators=(",", ":"))
    inputs = [
        [{"id": button, "property": "n_clicks", "value": 1}],
        [],
    ]
    state = [{"id": "address", "property": "pathname", "value": "/study/mine/overview"}]
    output = {"id": "news", "property": "children"}
    more = {"outputs": output, "state": state, "changedPropIds": [f"{name}.n_clicks"]}
    answer = ask(client, "news.children", inputs, **more)  # type: ignore[arg-type]
    assert "write checkpoints and wait" in answer["response"]["news"]["children"]
    storage = open_storage(bench.address)
    assert load_study(storage, "mine").user_attrs[CONTROL] == "pause"
    close_storage(storage)


def test_a_storage_that_went_away_leaves_what_is_shown(
    bench: Bench, library: Library, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboards.app.library.FRESH", 0.0)
    library.study("mine")
    for path in bench.folder.glob("mrtune.db*"):
        path.unlink()
    close_storage(library._storage)
    with pytest.raises(StorageFailed, match="the storage fails"):
        library.study("mine")
    answer = show(client, "/study/mine/overview", {})
    assert "content" not in answer
    assert "the storage fails" in json.dumps(answer["moment"])
