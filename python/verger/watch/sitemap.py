"""Sitemaps as lists of sites: whose pages does one name?

In: a sitemap (sitemaps.org, Protocol, version 0.9), plain or gzip. Out: the URLs of its pages, as
they come. It is read in pieces, and one that declares entities is refused.
"""

from collections.abc import Iterator
from typing import NoReturn
from xml.parsers.expat import ExpatError, ParserCreate

from verger.errors import InvalidTable
from verger.files.lines import read_bytes
from verger.files.stdio import LONGEST
from verger.untrusted_text import quoted

ENDINGS = (".xml", ".xml.gz")
"""How the names of sitemaps end."""

OF_A_PAGE = ("loc", "http://www.sitemaps.org/schemas/sitemap/0.9 loc")


def pages_of(path: str) -> Iterator[str]:
    """Yield the URL of each page. Raises InvalidTable for what is no sitemap of pages."""
    reader = _MapReader(path)
    for chunk in read_bytes(path, what="a sitemap"):
        yield from reader.read(chunk)
    yield from reader.read(b"", is_end=True)


class _MapReader:
    """Reads one sitemap."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._pages: list[str] = []
        self._text: str | None = None
        self._parser = parser = ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._take
        parser.EntityDeclHandler = lambda *_: self._refuse("it declares entities")

    def read(self, chunk: bytes, *, is_end: bool = False) -> list[str]:
        """Return the URLs that end in a piece."""
        try:
            self._parser.Parse(chunk, is_end)
        except ExpatError as error:
            self._refuse(f"line {error.lineno}: it is no XML")
        found, self._pages = self._pages, []
        return found

    def _begin(self, name: str, _: object) -> None:
        if name.rpartition(" ")[2] == "sitemapindex":
            self._refuse("it lists sitemaps, and no pages", "name the sitemaps that it lists")
        self._text = "" if name in OF_A_PAGE else None

    def _take(self, text: str) -> None:
        if self._text is not None:
            self._text += text
            if len(self._text) > LONGEST:
                self._refuse(f"a URL has more than {LONGEST:,} characters")

    def _end(self, name: str) -> None:
        if name in OF_A_PAGE and self._text is not None:
            self._pages.append(self._text.strip())
        self._text = None

    def _refuse(self, why: str, hint: str = "is it a sitemap?") -> NoReturn:
        raise InvalidTable(f"cannot read {quoted(self._path)}: {why}", hint)
