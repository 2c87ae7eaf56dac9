"""Every page of the dashboard, over a real search, in a real browser under the strict policy."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from dashboards.pages import VIEWS
from mrtune.study import close_storage, load_study, open_storage, read_study, study_names
from tests.browser.live import dashboard, mrtune
from tests.search.bench import Bench, work

pytestmark = pytest.mark.slow
QUADRATIC = Path(__file__).parent.parent / "search" / "quadratic.py"
PATIENCE = 60_000  # milliseconds
SIZES = {"wide": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
Opened = Callable[..., Page]
MARKS = ".point, .js-line, .heatmaplayer image, .bars path, .scatterlayer path"
PLOT = "document.querySelector('.js-plotly-plot')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a real, small search on drawn faces, and the paper's first grid on them."""
    home = tmp_path_factory.mktemp("searched")
    mrtune(home, "data", "generate", "celeba", "--to", "data/celeba", "--n", "160")
    fixed = ("fixed.width=2", "fixed.size=16", "fixed.batch_size=32", "budget.epochs=4")
    share = ("resources.gpus=0", "resources.cpus=1")
    sampled = ("budget.grace=1", "params.finish_at.high=3", "params.batch_size=null")
    grid = ("params.p=[0.3,0.7]",)
    small = ("search", "celeba", "-q", *settings(*fixed, *share))
    mrtune(home, *small, "--study", "small", "--trials", "8", *settings(*sampled))
    seeds = ("--space", "celeba_p", "--trials", "4", "--seeds", "2")
    mrtune(home, *small, "--study", "grid", *seeds, *settings(*grid))
    return home


def settings(*values: str) -> tuple[str, ...]:
    return tuple(part for value in values for part in ("-S", value))


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with dashboard(folder) as address:
        yield address


@pytest.fixture
def open_page(browser: Browser, url: str) -> Iterator[Opened]:
    """Open pages as the reader of the printed address does; any word of trouble is a failure."""
    contexts: list[BrowserContext] = []
    trouble: list[str] = []

    def open_(path: str = "/", size: str = "wide", theme: str = "light") -> Page:
        context = browser.new_context(viewport=SIZES[size], color_scheme=theme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: trouble.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("requestfailed", lambda request: trouble.append(request.url))
        base, _, token = url.partition("?")
        page.goto(f"{base.rstrip('/')}{path}{'&' if '?' in path else '?'}{token}")
        page.wait_for_selector("#head h1")
        page.wait_for_selector("#content > *")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert trouble == []


def drawn(page: Page) -> None:
    """Wait until every picture of a page has its axes, and marks or cells inside them."""
    page.wait_for_function(
        """marks => [...document.querySelectorAll('figure [role=img]')].every(
            plot => plot.querySelector('.main-svg') && plot.querySelector(marks))""",
        arg=MARKS,
    )
    assert "WebGL" not in page.inner_text("body")


def keep(page: Page, name: str) -> None:
    """Leave a screenshot where somebody wants to look at them."""
    if folder := os.environ.get("MRTUNE_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


@pytest.mark.parametrize(("size", "theme"), [("wide", "light"), ("phone", "dark")])
@pytest.mark.parametrize("view", VIEWS)
def test_a_page_is_drawn(open_page: Opened, view: str, size: str, theme: str) -> None:
    study = "grid" if view in {"roaming-p", "benchmark", "attributes", "seeds"} else "small"
    page = open_page(f"/study/{study}/{view}", size, theme)
    expect(page.locator("h1")).to_have_text(VIEWS[view].TITLE)
    drawn(page)
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, "the page is wider than the window"
    keep(page, f"{view}-{size}-{theme}")


def test_studies_are_listed_and_lead_to_their_pages(open_page: Opened) -> None:
    page = open_page()
    keep(page, "studies")
    page.get_by_role("link", name="small").click()
    expect(page.locator("h1")).to_have_text("Overview")
    page.get_by_role("link", name=VIEWS["curves"].TITLE).click()
    expect(page.locator("h1")).to_have_text(VIEWS["curves"].TITLE)
    assert urlsplit(page.url).path == "/study/small/curves"
    assert "token" not in page.url


def test_a_choice_is_in_the_address_and_can_be_sent_on(open_page: Opened) -> None:
    page = open_page("/study/small/curves")
    page.locator("[id*='metric']").first.click()
    page.get_by_text("loss", exact=True).last.click()
    page.wait_for_url("**metric=loss**")
    other = open_page("/study/small/curves?metric=loss")
    other.wait_for_selector(".js-plotly-plot .ytitle")
    assert other.locator(".js-plotly-plot .ytitle").first.text_content() == "loss"


def test_a_click_on_a_title_orders_a_table(open_page: Opened) -> None:
    page = open_page()
    names = page.locator("#table-studies tbody td:first-child")
    page.get_by_role("link", name="study", exact=True).click()
    expect(names).to_have_text(["grid", "small"])
    page.get_by_role("link", name="study ▲").click()
    expect(names).to_have_text(["small", "grid"])


def zoom(page: Page) -> None:
    """Draw a box in the middle of the first picture with the mouse."""
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=8)
    page.mouse.up()
    page.wait_for_function(f"{PLOT}._fullLayout.yaxis.autorange === false")


def test_a_picture_is_renewed_where_it_is(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(tmp_path, name="growing")
    bench.begin(trials=9)
    sweep = bench.sweep()
    work(sweep, slices=24)
    with dashboard(tmp_path, "growing") as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".js-plotly-plot .point")
        before = page.locator(".js-plotly-plot .point").count()
        page.evaluate(f"{PLOT}.same = true")
        zoom(page)
        seen = page.evaluate(f"{PLOT}._fullLayout.yaxis.range")
        work(sweep)
        page.wait_for_function(
            f"n => {PLOT}.data.reduce((all, trace) => all + trace.x.length, 0) > n",
            arg=before + 2,
        )
        assert page.evaluate(f"{PLOT}.same")
        assert page.evaluate(f"{PLOT}._fullLayout.yaxis.range") == seen
        page.close()


def test_a_running_search_is_paused_and_resumed_from_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "mrtune", "search", str(QUADRATIC), "--study", "live"]
    long_enough = "fixed.pause=3"  # for a page to be opened and clicked on a busy machine
    options = ["-S", long_enough, "--trials", "4", "--pruner", "none"]
    search = subprocess.Popen([*command, *options], cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while not _searched(tmp_path):
            assert search.poll() is None
            time.sleep(0.2)
        with dashboard(tmp_path, "live") as address:
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(address)
            page.get_by_role("button", name="Pause").click()
            expect(page.locator(".tag")).to_have_text("paused", timeout=PATIENCE)
            expect(page.locator("#news")).to_contain_text("write checkpoints and wait")
            page.get_by_role("button", name="Resume").click()
            expect(page.locator(".tag")).to_have_text("running", timeout=PATIENCE)
            expect(page.locator(".tag")).to_have_text("finished", timeout=2 * PATIENCE)
            page.close()
    finally:
        assert search.wait(timeout=120) == 0


def _searched(folder: Path) -> bool:
    """Whether some process searches the study."""
    if not (folder / "mrtune.db").exists():
        return False
    storage = open_storage(str(folder / "mrtune.db"))
    try:
        return "live" in study_names(storage) and read_study(load_study(storage, "live")).alive
    finally:
        close_storage(storage)


NASTY = "</script><img src=x onerror=alert(1)><b>ü∆</b>"


def test_what_studies_say_is_text_never_html(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.begin(trials=2, params__x=[0.1, 0.9], fixed__note=NASTY)
    sweep = bench.sweep()
    work(sweep, slices=4)
    name = f"x {NASTY} javascript:alert(1)"  # as Optuna itself takes it
    with sqlite3.connect(tmp_path / "mrtune.db") as connection:
        connection.execute("UPDATE studies SET study_name = ?", (name,))
    connection.close()
    with dashboard(tmp_path) as address:
        page = browser.new_page()
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(address)
        page.get_by_role("link", name=name).click()
        page.wait_for_selector("nav")
        for view in VIEWS.values():
            page.get_by_role("link", name=view.TITLE, exact=True).click()
            expect(page.locator("h1")).to_have_text(view.TITLE)
            page.wait_for_timeout(300)
            assert page.locator("img[src='x']").count() == 0
            assert page.locator("#content b, .js-plotly-plot b").count() == 0
        assert dialogs == []
        page.close()


def test_a_report_needs_neither_server_nor_network(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    mrtune(folder, "report", "small", "grid", "-o", str(path))
    page = browser.new_page(viewport=SIZES["wide"])
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    drawn(page)
    assert page.locator("section").count() > 8
    assert [u for u in requests if not u.startswith(("file:", "data:", "blob:"))] == []
    keep(page, "report")
    page.close()
