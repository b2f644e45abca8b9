"""The page: what it says, that it needs nothing else, and that strangers' words stay words."""

import json
import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

from verger.bulk import report

from .scans import NOON, Capture, redirect, unavailable, unreachable, write

HOSTILE = "https://<script>alert(1)</script>.example"


class Outline(HTMLParser):
    """The tags of a page, its text outside scripts and styles, and its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.tables: list[list[list[str]]] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, _tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            return
        self.text += data
        if self._inside in ("td", "th"):
            self.tables[-1][-1][-1] += data

    def table(self, first: str) -> list[list[str]]:
        """Return the rows of the table whose header begins with a word."""
        for table in self.tables:
            for number, row in enumerate(table):
                if row[0] == first:
                    return table[number + 1 :]
        raise LookupError(first)


def page_of(folder: Path, *captures: Capture, title: str = report.TITLE, **told: object) -> str:
    scan = write(folder / "scan.parquet", captures, **told)
    report.write([scan], folder / "report.html", title=title)
    return (folder / "report.html").read_text(encoding="utf-8")


def some_captures() -> list[Capture]:
    """Return a little of everything."""
    read = [
        Capture(
            f"https://{number}.example",
            body=b"User-agent: *\n" * (number % 3 * 20),
            posture=("all", "some", "none")[number % 3],
            crawlers={"GPTBot": "none"} if number % 4 == 0 else {},
            fields={"user_agent": 1, "disallow": number},
            findings=[("odd-line", 2)] if number % 5 == 0 else [],
            signals={"ai_train": False} if number % 6 == 0 else {},
        )
        for number in range(20)
    ]
    without = [
        unavailable("https://gone.example"),
        unreachable("https://down.example"),
        redirect("https://moved.example"),
    ]
    return [*read, *without]


def test_page_needs_nothing_else(tmp_path: Path) -> None:
    """No tag loads anything, and the policy would not let it."""
    outline = Outline(page_of(tmp_path, *some_captures()))
    policies = [
        attributes["content"] or ""
        for tag, attributes in outline.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    loading = [
        (tag, attributes)
        for tag, attributes in outline.tags
        if tag in {"link", "img", "iframe", "object", "embed", "base", "form"}
        or "src" in attributes
        or not (attributes.get("href") or "#").startswith("#")
    ]

    assert [] == loading
    assert [] == [each for each in outline.tags if any(name.startswith("on") for name in each[1])]
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; "
        r"base-uri 'none'; form-action 'none'",
        policies[0],
    )
    assert 1 == len(policies)


def test_tables_have_the_numbers(tmp_path: Path) -> None:
    """Each table stands beside its chart and says the same."""
    outline = Outline(page_of(tmp_path, *some_captures()))
    standings = {row[0]: row[1:] for row in outline.table("crawler")}
    answers = outline.table("status")

    # 23 sites, of which one redirects; 20 files, of which 7 are open, 7 partly open, 6 closed
    assert ["22", "6", "27.3%", "1", "4.5%", "7", "31.8%", "1", "4.5%", "7", "31.8%"] == (
        standings["* (any other)"]
    )
    assert ["200", "successful", "20", "87.0%"] == answers[0]
    assert [["odd-line", "4", "20.0%", "8"]] == outline.table("finding")
    assert ["disallow", "19", "95.0%", "190"] in outline.table("field")
    assert ["0", "7", "35.0%"] == outline.table("bytes")[0]
    assert ["ai-train", "0", "0.0%", "4", "20.0%", "16", "80.0%"] in outline.table("signal")
    assert ["7", "35.0%", "0", "0", "open"] in [row[1:6] for row in outline.table("SHA-256")]


def test_charts_have_the_numbers_of_the_tables(tmp_path: Path) -> None:
    """The data of a chart are the cells of its table, but for zeros."""
    page = page_of(tmp_path, *some_captures())
    (embedded,) = re.findall(r'<script type="application/json" id="specs">(.*?)</script>', page)
    spec = json.loads(embedded)["standings"]
    rows = spec["data"]["values"]
    drawn = {(row["name"], row["what"]): row["number"] for row in rows}
    table = {
        (row[0], kind): int(cell)
        for row in Outline(page).table("crawler")
        for kind, cell in zip(
            ("closed", "closed without a file", "partly", "open without a file", "open"),
            row[2::2],
            strict=True,
        )
        if cell != "0"
    }

    assert table == drawn


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    """Origins, sitemaps, names of crawlers, codes, postures and the title of a stranger."""
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    captures = [
        Capture(origin, sitemaps=[evil], findings=[(evil, 1)], crawlers={evil: "none"})
        for origin in (HOSTILE, f"{HOSTILE}:8080")
    ]
    captures.append(unavailable(evil))
    page = page_of(
        tmp_path, *captures, title=evil, tokens=(evil,), verger_dialect=evil, verger_version=evil
    )
    outline = Outline(page)

    assert 2 == sum(tag == "script" for tag, _ in outline.tags)
    assert [] == [each for each in outline.tags if each[0] == "img"]
    assert 5 <= outline.text.count(evil)
    assert f"{HOSTILE} {HOSTILE}:8080" == outline.table("SHA-256")[0][-1]


def test_nothing_turns_the_direction_of_writing(tmp_path: Path) -> None:
    """What a browser would act on without showing it is seen, in tables and in charts."""
    acting = "a\u202eb\u200b\x1b\x9b"
    origins = (f"https://{acting}.example", f"https://{acting}.example:8080")
    captures = [
        Capture(origin, crawlers={acting: "none"}, findings=[(acting, 1)]) for origin in origins
    ]
    page = page_of(tmp_path, *captures, title=acting, tokens=(acting,), verger_dialect=acting)
    seen = r"a\u202eb\u200b\x1b\x9b"

    assert [] == [one for one in page if not one.isprintable() and one not in "\n\t\xa0"]
    assert f"https://{seen}.example https://{seen}.example:8080" in page
    assert seen in Outline(page).table("finding")[0]
    assert json.dumps(seen) in page


def test_same_numbers_give_the_same_page(tmp_path: Path) -> None:
    """A report can be kept in version control: nothing in it tells when it was made."""
    first = page_of(tmp_path, *some_captures())

    assert first == page_of(tmp_path, *some_captures())


def test_no_captures(tmp_path: Path) -> None:
    """An empty table gives a page that says so, without any chart."""
    page = page_of(tmp_path)

    assert "The tables hold no captures" in page
    assert "<script" not in page
    assert "default-src" in page


def test_no_site(tmp_path: Path) -> None:
    """Captures of what is not a URL make no site."""
    page = page_of(tmp_path, Capture(origin=None), Capture(origin=None))

    assert "No capture belongs to a site" in page
    assert "2 captures are left out: of URLs without an origin" in Outline(page).text


def test_no_file(tmp_path: Path) -> None:
    """Sites without a single file: what is known is shown, the rest says what is missing."""
    text = Outline(page_of(tmp_path, unavailable("https://a.example"))).text

    assert 6 == text.count("There is nothing to show: no file was read.")


def test_only_redirects(tmp_path: Path) -> None:
    """Nobody knows what may be fetched there."""
    text = Outline(page_of(tmp_path, redirect("https://a.example"))).text

    assert "There is nothing to show: no site's answer is known." in text


def test_notes(tmp_path: Path) -> None:
    """What a reader must know of the captures stands on top."""
    captures = [
        Capture("https://a.example"),
        Capture("https://b.example"),
        Capture("https://c.example"),
        Capture("https://a.example", time=NOON + timedelta(days=30)),
        Capture("https://d.example", time=None),
    ]
    text = Outline(page_of(tmp_path, *captures)).text

    assert "Captures from 2026-03-02 12:00 UTC to 2026-04-01 12:00 UTC." in text
    assert "1 capture is left out: without a time" in text
    assert "less than half of the sites of the one before" in text
    assert "the latest of 2" in text
