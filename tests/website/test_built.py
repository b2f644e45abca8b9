"""The built website in a browser: from a folder below a server's root, and from a folder alone."""

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright import sync_api
from publishing import publish

import verger
from patience import LONG

ROOT = Path(__file__).parents[2]
SITE = ROOT / os.environ["VERGER_SITE"]
VERSION = ".".join(verger.__version__.split(".")[:2])
PAGES = (
    "index.html",
    "site-owner.html",
    "guides/index.html",
    "guides/check.html",
    "checks/index.html",
    "checks/shadowed-rule.html",
    "dialects.html",
    "divergences.html",
    "scoreboard.html",
    "benchmarks.html",
    "reference/python/verger.html",
    "reference/commands/filter.html",
    "reference/schemas/check-1.html",
    "annex/statements.html",
    "project/CHANGELOG.html",
    "project/examples/polite_crawler_sync.py.html",
)
"""A page of each kind, and the widest; that with the tester where one is built."""

LATER = f"{VERSION}.1"
"""A version that the tests publish, too."""

OWN = ("data:", "blob:")
"""What a page loads from itself."""

PATIENCE = 1_000 * LONG
"""Milliseconds within which a page answers, also on a busy machine."""


class Silent(SimpleHTTPRequestHandler):
    """A server of files that keeps no log."""

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@dataclass
class Reader:
    """A browser window, and what happened in it."""

    page: sync_api.Page
    base: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def opens(self, name: str) -> None:
        self.page.goto(f"{self.base}/{name}", wait_until="networkidle")

    def finds(self, words: str) -> str:
        """Search, and return the title of the first page that is found."""
        asked = self.page.get_by_role("combobox")
        while not asked.is_visible():  # until the script that opens it is there
            with suppress(sync_api.TimeoutError):  # what it opens may lie over it by now
                self.page.locator(".md-search__button").click(timeout=1_000)
            self.page.wait_for_timeout(200)
        asked.fill(words)
        found = self.page.locator("a[href*='?h=']").first
        found.wait_for()
        return str(found.get_attribute("href"))


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    path = shutil.which("chromium")
    assert path is not None, "chromium is needed"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-background-networking"],
            timeout=PATIENCE,
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve two versions below a folder, and return the address of that."""
    folder = tmp_path_factory.mktemp("served")
    for version in (VERSION, LATER):
        publish(SITE / VERSION, folder / "docs", version)
    handler = functools.partial(Silent, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/docs"
        server.shutdown()


def reader(browser: sync_api.Browser, base: str, **window: object) -> Reader:
    page = browser.new_context(**window).new_page()
    page.set_default_timeout(PATIENCE)
    shown = Reader(page, base)
    page.on("request", lambda request: shown.requests.append(request.url))
    page.on("pageerror", lambda error: shown.complaints.append(str(error)))
    page.on(
        "console",
        lambda message: message.type == "error" and shown.complaints.append(message.text),
    )
    return shown


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_fit_and_ask_no_other_host(
    browser: sync_api.Browser, root: str, width: int, scheme: str
) -> None:
    """No page is wider than the window, fails, or loads what is not of the site."""
    window = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
    shown = reader(browser, f"{root}/{VERSION}", **window)
    too_wide = []
    tester = ["try/index.html"] if (SITE / VERSION / "try").exists() else []
    for name in [*PAGES, *tester]:
        shown.opens(name)
        wide = shown.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        too_wide += [name] if wide else []

    assert [] == too_wide
    assert [] == shown.complaints
    assert {root} == {url[: len(root)] for url in shown.requests if not url.startswith(OWN)}


def test_search_finds_a_check(browser: sync_api.Browser, root: str) -> None:
    """Words lead to the page that is about them."""
    shown = reader(browser, f"{root}/{VERSION}")
    shown.opens("guides/check.html")

    assert "/checks/byte-order-mark.html" in shown.finds("byte-order-mark")


WIDE = """tables => tables.flatMap(table => {
    const around = table.closest(".md-typeset__scrollwrap");
    const boxes = [around, table.closest("article")].map(each => each.getBoundingClientRect());
    const [outer, text] = boxes;
    const isInside = outer.left >= text.left - 1 && outer.right <= text.right + 1;
    const fits = around.scrollWidth <= around.clientWidth;
    const scrolls = fits || getComputedStyle(around).overflowX === "auto";
    return isInside && scrolls ? [] : [table.innerText];
})"""


@pytest.mark.parametrize("width", [1280, 390])
def test_wide_tables_scroll_in_themselves(browser: sync_api.Browser, root: str, width: int) -> None:
    """Each is as wide as the text at most, and what is wider is reached by scrolling."""
    shown = reader(browser, f"{root}/{VERSION}", viewport={"width": width, "height": 844})
    wide = []
    for name in ("scoreboard.html", "dialects.html", "benchmarks.html", "divergences.html"):
        shown.opens(name)
        shown.page.locator(".md-typeset__scrollwrap").first.wait_for(state="attached")
        tables = shown.page.locator("article table:not(.highlighttable)")
        wide += tables.evaluate_all(WIDE)

    assert [] == wide


def test_what_is_copied_is_what_one_types(browser: sync_api.Browser, root: str) -> None:
    """The button stands beside a command and its output, and copies the command."""
    window = {"permissions": ["clipboard-read", "clipboard-write"]}
    shown = reader(browser, f"{root}/{VERSION}", **window)
    shown.opens("guides/check.html")
    block = shown.page.locator(".language-console").first
    button = block.locator(".md-code__button[data-md-type=copy]")
    button.wait_for()
    edge = block.locator("code").evaluate("code => code.getBoundingClientRect().right")
    button.click()
    shown.page.wait_for_function("() => navigator.clipboard.readText()")
    copied = shown.page.evaluate("() => navigator.clipboard.readText()")

    assert edge <= button.evaluate("button => button.getBoundingClientRect().left")
    assert "verger check --robots robots.txt --agent ExampleBot" in copied
    assert "$" not in copied
    assert "disallowed by line" not in copied


def test_search_ranks_guides_before_the_api(browser: sync_api.Browser, root: str) -> None:
    """What helpers of ours are called is not there at all."""
    shown = reader(browser, f"{root}/{VERSION}")
    shown.opens("guides/check.html")

    assert "/guides/" in shown.finds("crawl delay")
    assert "/guides/" in shown.finds("timeout")
    assert "unless_installed" not in (SITE / VERSION / "search.json").read_text("utf-8")


def test_checks_are_sorted_by_code(browser: sync_api.Browser, root: str) -> None:
    """In the navigation, as on the page that lists them."""
    shown = reader(browser, f"{root}/{VERSION}")
    shown.opens("checks/index.html")
    names = shown.page.locator(".md-nav__link[href$='.html']").all_text_contents()
    codes = [name.split()[0] for name in names if name.strip().startswith("RT")]

    assert len(codes) > 50
    assert sorted(codes) == codes


def test_search_works_from_a_folder(browser: sync_api.Browser) -> None:
    """Without a server, too; only the switch of versions is not there."""
    shown = reader(browser, (SITE / VERSION).as_uri())
    shown.opens("guides/check.html")

    assert "/checks/byte-order-mark.html" in shown.finds("byte-order-mark")
    assert {"file:", "about"} >= {url[:5] for url in shown.requests if url[:5] != "data:"}


def test_versions_lead_to_each_other(browser: sync_api.Browser, root: str) -> None:
    """The first page is that of the newest, and each version names the others."""
    shown = reader(browser, root)
    shown.opens("")
    shown.page.wait_for_url(f"**/{LATER}/index.html")
    earlier = shown.page.locator(f".md-version__link[href$='/{VERSION}/']")
    earlier.evaluate("link => link.click()")
    shown.page.wait_for_url(f"**/{VERSION}/**")

    assert [] == shown.complaints


def test_the_first_page_leads_to_four_doors(browser: sync_api.Browser, root: str) -> None:
    """By keyboard alone: the first key skips what all pages have."""
    shown = reader(browser, f"{root}/{VERSION}")
    shown.opens("index.html")
    shown.page.keyboard.press("Tab")

    focused = "document.activeElement.textContent.trim()"
    assert "Skip to content" == shown.page.evaluate(focused)
    doors = shown.page.locator(".grid.cards strong a")
    named = ["Your site", "Sites that you watch", "Your crawler", "Your data"]
    assert named == doors.all_text_contents()
    doors.nth(2).focus()
    shown.page.keyboard.press("Enter")
    shown.page.wait_for_url("**/crawler.html")
