"""Draws the pictures of the README: `make pictures`."""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from tests.browser import chromium

HERE = Path(__file__).parent


def main() -> None:
    """Open what the commands write in a real browser and photograph it."""
    with chromium.launch() as browser, tempfile.TemporaryDirectory() as folder:
        page = browser.new_page(viewport={"width": 1100, "height": 660})
        roam(page, Path(folder))


def roam(page: Page, folder: Path) -> None:
    """Photograph the paper's first figure."""
    html = folder / "roam.html"
    subprocess.run([sys.executable, "-m", "mrtune", "roam", "--html", html], check=True)
    page.goto(html.as_uri())
    page.wait_for_selector(".heatmaplayer image")
    page.screenshot(path=HERE / "roam.png")


if __name__ == "__main__":
    main()
