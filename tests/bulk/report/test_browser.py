"""The page as a browser shows it: every bar is there, and nothing is asked for over the network.

In: one report of two snapshots, in Chromium without any network. A machine without Chromium skips
these tests and says so; where CI=true it must be there.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

from patience import LONG
from verger.bulk import report
from verger.bulk.changes import ChangeRow

from . import changed
from .scans import NOON, TOKENS, Capture, redirect, unavailable, unreachable, write

pytestmark = pytest.mark.slow

if os.environ.get("CI") == "true":
    from playwright import sync_api
else:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Options with which Chromium runs anywhere, and asks for nothing on its own."""

PATIENCE = 1_000 * LONG
"""Milliseconds within which a page is drawn, also on a busy machine."""

MARKS = ".mark-rect.role-mark path"

EVIL = "https://<img src=x onerror=alert(1)>.example"


@dataclass(slots=True)
class Shown:
    """A page in a browser, and what happened there."""

    page: "sync_api.Page"
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of its console."""
    requests: list[str] = field(default_factory=list)
    """What it asked for besides itself."""

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def colour(self, selector: str, of: str) -> str:
        """Return a colour as the browser paints it, such as `rgb(1, 2, 3)`."""
        element = self.page.locator(selector).first
        return str(element.evaluate("(element, of) => getComputedStyle(element)[of]", of))


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    path = shutil.which("chromium")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromium is needed where CI=true")
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=list(QUIET), timeout=PATIENCE
        )
        yield browser
        browser.close()


def captures(day: int) -> list[Capture]:
    """Return a snapshot with a little of everything."""
    time = NOON + timedelta(days=day)
    read = [
        Capture(
            EVIL if number in (3, 6) else f"https://{number}.example",
            time + timedelta(minutes=number),
            body=b"User-agent: *\n" * (1 << number % 9),
            posture=("all", "some", "none")[number % 3],
            crawlers={"GPTBot": ("none", "some")[number % 2]} if number % 4 < 2 + day % 2 else {},
            fields={"user_agent": 1, "disallow": number, "sitemap": number % 2},
            findings=[(f"odd-line-{code}", 2) for code in range(number % 4)],
            signals={"ai_train": False} if number % 6 == 0 else {},
        )
        for number in range(40)
    ]
    without = [
        *(unavailable(f"https://gone-{number}.example", time=time) for number in range(5)),
        *(unreachable(f"https://down-{number}.example", time=time) for number in range(3)),
        redirect("https://moved.example", time=time),
    ]
    return [*read, *without]


def rows_of_changes() -> list[ChangeRow]:
    """Return changes of every severity, for several purposes."""
    kinds = ("site-closed", "closed", "unproved", "opened", "site-opened")
    purposes = ("training", "search", "archive")
    return [
        changed.change(
            f"https://{number}.example", kinds[number % 5], ["*"], [purposes[number % 3]]
        )
        for number in range(30)
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    scans = [write(folder / f"{day}.parquet", captures(day)) for day in (0, 31)]
    changes = changed.write(folder / "changes.parquet", rows_of_changes())
    report.write([*scans, changes], folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def specs(path: Path) -> dict[str, int]:
    """Return how many bars each chart of the page has data for."""
    page = path.read_text(encoding="utf-8")
    (embedded,) = re.findall(r'<script type="application/json" id="specs">(.*?)</script>', page)
    return {name: len(spec["data"]["values"]) for name, spec in json.loads(embedded).items()}


def shown(
    browser: "sync_api.Browser",
    path: Path,
    *,
    width: int = 1100,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
) -> Shown:
    """Return a page when its charts are drawn; whatever else it asks for is refused."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
    )
    found = Shown(context.new_page())

    def only_the_file(route: "sync_api.Route") -> None:
        if route.request.url == path.as_uri():
            route.continue_()
        else:
            found.requests.append(route.request.url)
            route.abort()

    def complain(message: "sync_api.ConsoleMessage") -> None:
        if message.type in ("error", "warning"):
            found.complaints.append(message.text)

    context.route("**/*", only_the_file)
    found.page.on("console", complain)
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.set_default_timeout(PATIENCE)
    found.page.goto(path.as_uri())
    if script:
        found.page.locator("html[data-charts]").wait_for(state="attached")
    return found


@pytest.fixture(scope="module")
def wide(browser: "sync_api.Browser", path: Path) -> Shown:
    return shown(browser, path)


def test_every_bar_is_drawn(wide: Shown, specs: dict[str, int]) -> None:
    """Each chart has as many bars as its data, all of them with a width and a height."""
    drawn = {
        name: wide.count(f'[data-chart="{name}"] {MARKS}')
        for name in wide.page.locator("[data-chart]").evaluate_all(
            "places => places.map(place => place.dataset.chart)"
        )
    }
    empty = wide.page.locator(MARKS).evaluate_all(
        "bars => bars.filter(bar => !(bar.getBBox().width > 0 && bar.getBBox().height > 0)).length"
    )

    assert specs == drawn
    assert {
        "changes",
        "standings",
        "namings",
        "signals",
        "fields",
        "answers",
        "sizes",
        "findings",
    } == {name for name in drawn if not name.startswith("time-")}
    assert 1 + len(TOKENS) == sum(name.startswith("time-") for name in drawn)
    assert (0, "drawn") == (empty, wide.page.locator("html").get_attribute("data-charts"))


def test_bars_are_as_long_as_their_shares(wide: Shown) -> None:
    """The parts of each crawler's bar fill it, and each is as long as the table says."""
    bars = wide.page.locator(f'[data-chart="standings"] {MARKS}')
    widths = bars.evaluate_all(
        "bars => bars.map(bar => [bar.__data__.datum.name, bar.__data__.datum.what,"
        " bar.getBBox().width])"
    )
    total = sum(width for name, _, width in widths if name == "GPTBot")
    shares = {what: round(width / total, 3) for name, what, width in widths if name == "GPTBot"}
    cells = wide.page.locator("#standings tbody tr", has_text="GPTBot").locator("td")
    numbers = [int(text) for text in cells.all_text_contents()[1::2]]
    kinds = ("closed", "closed without a file", "partly", "open without a file", "open")

    assert shares == {
        kind: round(number / sum(numbers), 3)
        for kind, number in zip(kinds, numbers, strict=True)
        if number
    }


def test_nothing_is_asked_for_and_nothing_complains(wide: Shown) -> None:
    """No request besides the page, no error, no warning, nothing that the policy stopped."""
    assert ([], []) == (wide.requests, wide.complaints)


def test_policy_stops_what_was_not_there(browser: "sync_api.Browser", path: Path) -> None:
    """A script that somebody put into the page does not run, and no image leaves it."""
    page = path.read_text(encoding="utf-8")
    marred = path.with_name("marred.html")
    added = "<script>document.title = 'marred'</script><img src='https://example.com/x.png'>"
    marred.write_text(page.replace("<main>", f"<main>{added}"), encoding="utf-8")
    found = shown(browser, marred)

    assert report.TITLE == found.page.title()
    assert [] == found.requests
    assert 2 == sum("Content Security Policy" in text for text in found.complaints)


def test_hostile_origin_is_text(wide: Shown) -> None:
    """What an origin says is seen, and never acts."""
    cell = wide.page.locator("#repeated td", has_text=EVIL)

    assert 1 <= cell.count()
    assert 0 == wide.count("img")


def test_pointing_at_a_bar_tells_its_numbers(wide: Shown) -> None:
    """A tooltip in the colours of the page."""
    wide.page.locator(f'[data-chart="standings"] {MARKS}').first.hover()
    told = wide.page.locator("#vg-tooltip-element.visible")
    told.wait_for()

    assert "* (any other)" in told.inner_text()
    assert "27.7%" in told.inner_text()
    assert wide.colour("#vg-tooltip-element", "backgroundColor") == "rgb(245, 246, 248)"
    wide.page.mouse.move(0, 0)


def test_dark(browser: "sync_api.Browser", path: Path, wide: Shown) -> None:
    """Paper, words and bars have other colours in the dark, and keys those of their bars."""
    dark = shown(browser, path, scheme="dark")
    looked_at = {
        "body": "backgroundColor",
        "h1": "color",
        f'[data-chart="standings"] {MARKS}': "fill",
        '[data-chart="standings"] .role-axis-label text': "fill",
    }
    by_day = [wide.colour(selector, of) for selector, of in looked_at.items()]
    by_night = [dark.colour(selector, of) for selector, of in looked_at.items()]

    assert [] == [one for one, other in zip(by_day, by_night, strict=True) if one == other]
    assert by_night[2] == dark.colour("#standings .swatch", "backgroundColor")
    assert [] == dark.complaints


def test_narrow(browser: "sync_api.Browser", path: Path, specs: dict[str, int]) -> None:
    """On a telephone nothing but a table is wider than the screen, open tables included."""
    narrow = shown(browser, path, width=400)
    closed = narrow.page.locator("details:not([open]) > summary")
    for _ in range(closed.count()):
        closed.first.click()
    wide = narrow.page.evaluate(
        "[...document.querySelectorAll('body *')]"
        ".filter(each => !each.closest('.scroll') || each.matches('.scroll'))"
        ".filter(each => each.getBoundingClientRect().right > innerWidth + 1)"
        ".map(each => each.outerHTML.slice(0, 80))"
    )

    assert [] == wide
    assert 400 == narrow.page.evaluate("document.documentElement.scrollWidth")
    assert sum(specs.values()) == narrow.count(MARKS)


def test_charts_follow_the_window(browser: "sync_api.Browser", path: Path) -> None:
    """A chart is as wide as its place, also when that changes."""
    found = shown(browser, path)
    svg = found.page.locator('[data-chart="standings"] svg')
    before = svg.evaluate("svg => svg.clientWidth")
    found.page.set_viewport_size({"width": 600, "height": 900})
    found.page.wait_for_function(
        "before => document.querySelector('[data-chart=standings] svg').clientWidth < before",
        arg=before,
    )

    assert 600 >= found.page.evaluate("document.documentElement.scrollWidth")


def test_print(browser: "sync_api.Browser", path: Path) -> None:
    """On paper all tables are open, colours are those of the day, and bars are drawn."""
    found = shown(browser, path, scheme="dark")
    pdf = found.page.pdf()
    found.page.emulate_media(media="print", color_scheme="dark")
    found.page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert "rgb(255, 255, 255)" == found.colour("body", "backgroundColor")
    assert 0 == found.count("details:not([open])")
    assert 4 <= len(re.findall(rb"/Type\s*/Page\b", pdf))

    found.page.evaluate("dispatchEvent(new Event('afterprint'))")

    assert 0 < found.count("details:not([open])")


def test_without_script(browser: "sync_api.Browser", path: Path) -> None:
    """Where no script runs, the page says that the tables have the numbers."""
    found = shown(browser, path, script=False)

    assert found.page.locator("#standings noscript").is_visible()
    assert found.page.locator("#standings table").count() == 1


def test_roles(wide: Shown) -> None:
    """Headings in order, charts with a name, tables whose cells have headers."""
    headings = wide.page.get_by_role("heading").all_text_contents()
    names = wide.page.locator("[data-chart]").evaluate_all(
        "places => places.map(place => place.getAttribute('aria-label'))"
    )

    assert report.TITLE == headings[0]
    assert "How this was counted" == headings[-1]
    assert all(names)
    assert len(names) == len(set(names))
    assert 0 == wide.count("main tbody tr:not(:has(th[scope=row]))")
