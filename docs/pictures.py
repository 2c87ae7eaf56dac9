"""Draws the pictures of the README: `make pictures`. Searches for a few minutes to have some."""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser import chromium
from tests.browser.live import dashboard, mrtune

HERE = Path(__file__).parent
PAGES = {"explore": "parameters.png", "asha": "early-stopping.png"}


def main() -> None:
    """Open what the commands show in a real browser and photograph it."""
    with chromium.launch() as browser, tempfile.TemporaryDirectory() as folder:
        roam(browser.new_page(viewport={"width": 1100, "height": 660}), Path(folder))
        pages(browser, Path(folder))


def roam(page: Page, folder: Path) -> None:
    """Photograph the paper's first figure."""
    mrtune(folder, "roam", "--html", "roam.html")
    page.goto((folder / "roam.html").as_uri())
    page.wait_for_selector(".heatmaplayer image")
    page.screenshot(path=HERE / "roam.png")


def pages(browser: Browser, folder: Path) -> None:
    """Photograph pages of the dashboard, about a search with twice the demo's trials."""
    mrtune(folder, "search", "fashion", "--trials", "24", "-q")
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    with dashboard(folder, "fashion-1") as address:
        page.goto(address)
        for key, name in PAGES.items():
            page.goto(address.partition("?")[0].replace("overview", key))
            page.wait_for_selector(".js-plotly-plot .main-svg")
            page.wait_for_timeout(2000)  # pictures further down
            page.screenshot(path=HERE / name)


if __name__ == "__main__":
    main()
