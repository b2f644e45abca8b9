"""What is wrong with a built website: links that lead nowhere, requests to other hosts.

In: a folder of HTML. Out: one line for each fault. Every link, anchor and image is followed inside
of the folder; links to other hosts need only be well formed, and nothing is fetched. What a page
loads has to come from the folder.
"""

import re
import sys
from collections.abc import Iterator
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
OTHERWISE = {"canonical", "next", "prev"}
"""What a `link` is that loads nothing."""

LOADED_BY_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)")
BY_SERVERS = {"404.html"}
"""Pages that a server shows at any address, so that their links begin with `/`."""


class Page(HTMLParser):
    """A page: its anchors, its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        """Read a file."""
        super().__init__()
        self.path = path
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.linked_by_text: list[str] = []
        self.loaded: list[str] = []
        self.faults: list[str] = []
        self._headings = self._articles = 0
        self.feed(path.read_text("utf-8"))
        if self._headings != 1:
            self.faults.append(f"has {self._headings} headings of level 1")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names, links to or loads."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self._headings += tag == "h1"
        self._articles += tag == "article"
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            if self._articles:
                self.linked_by_text.append(given["href"])
        if tag == "img" and "alt" not in given:
            self.faults.append(f"has an image without a text: `{given.get('src')}`")
        if given.get(LOADING.get(tag, "")) and given.get("rel") not in OTHERWISE:
            self.loaded.append(given[LOADING[tag]])

    def handle_endtag(self, tag: str) -> None:
        """Note where the text of a page ends."""
        self._articles -= tag == "article"


class Site:
    """All pages of a folder."""

    def __init__(self, folder: Path) -> None:
        """Know the folder."""
        self.folder = folder.resolve()

    @cached_property
    def pages(self) -> dict[Path, Page]:
        """The pages by their paths."""
        paths = sorted(self.folder.rglob("*.html"))
        return {path: Page(path) for path in paths if path.name not in BY_SERVERS | {"tester.html"}}

    def faults(self) -> Iterator[str]:
        """Yield what is wrong, a line each."""
        for path, page in self.pages.items():
            name = path.relative_to(self.folder)
            yield from (f"{name}: {fault}" for fault in page.faults)
            for link in page.links:
                if fault := self._wrong(page, link):
                    yield f"{name}: `{link}` {fault}"
            for address in page.loaded:
                if fault := self._wrongly_loaded(page, address):
                    yield f"{name}: loads `{address}`, which {fault}"
        yield from self._wrong_styles()
        for path in sorted(self.pages.keys() - self.reached()):
            yield f"{path.relative_to(self.folder)}: no text leads here from the first page"

    def reached(self) -> set[Path]:
        """Return the pages that a reader finds by following the links in texts."""
        waiting, found = [self.folder / "index.html"], set[Path]()
        while waiting:
            path = waiting.pop()
            if path in self.pages and path not in found:
                found.add(path)
                page = self.pages[path]
                waiting += [self._target(page, each) for each in page.linked_by_text]
        return found

    def _target(self, page: Page, link: str) -> Path:
        path = unquote(urlsplit(link).path)
        target = (page.path.parent / path).resolve() if path else page.path
        return target / "index.html" if target.is_dir() else target

    def _wrong(self, page: Page, link: str) -> str:
        """Return what is wrong with a link, or nothing."""
        parts = urlsplit(link)
        if parts.scheme in ("http", "https"):
            return "" if "." in (parts.hostname or "") and " " not in link else "is malformed"
        if parts.scheme or parts.netloc or link.startswith("/"):
            return "is neither relative nor of the web"
        target = self._target(page, link)
        if not target.is_relative_to(self.folder) or not target.is_file():
            return "leads nowhere"
        known = self.pages.get(target)
        if parts.fragment and known and unquote(parts.fragment) not in known.anchors:
            return "names an anchor that is not there"
        return ""

    def _wrongly_loaded(self, page: Page, address: str) -> str:
        """Return what is wrong with what a page loads, or nothing."""
        parts = urlsplit(address)
        if parts.scheme == "data":
            return ""
        return "is on another host" if parts.scheme or parts.netloc else self._wrong(page, address)

    def _wrong_styles(self) -> Iterator[str]:
        for path in sorted(self.folder.rglob("*.css")):
            for found in LOADED_BY_STYLE.findall(path.read_text("utf-8")):
                yield f"{path.relative_to(self.folder)}: loads `{found}`, which is on another host"


if __name__ == "__main__":
    found = list(Site(Path(sys.argv[1])).faults())
    print("\n".join(found))
    raise SystemExit(bool(found))
