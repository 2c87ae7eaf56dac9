from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import Outcome

pytestmark = pytest.mark.slow


def test_the_picture_is_drawn(
    mrtune: Callable[..., Outcome], browser: Browser, tmp_path: Path
) -> None:
    """Squares of both tasks and four lines are on the page, with no word from the network."""
    path = tmp_path / "roam.html"
    assert mrtune("roam", "--html", str(path)).code == 0
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector(".heatmaplayer image")
    assert page.locator(".heatmaplayer image").count() == 2
    assert page.locator(".scatterlayer .js-line").count() == 4
    assert page.locator(".legendtext").all_text_contents() == [
        "not visited yet",
        "visited and left",
        "held",
        "entered at this step",
        "visited share",
        "visited share by Eq. 4",
        "coverage",
        "overlap of two tasks",
    ]
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()
