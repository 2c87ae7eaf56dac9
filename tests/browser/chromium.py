"""The Chromium that the system's packages bring."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright


def find() -> str | None:
    """Say where Chromium is, if it is there."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def launch() -> Iterator[Browser]:
    """Start a headless Chromium for the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()
