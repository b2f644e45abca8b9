"""News as Atom feeds (RFC 4287): one for each origin, and one for all.

In: an archive, and a folder. Out: `all.atom`, and a file for each origin, named by it; each is
replaced when it is complete. An entry has an identifier of its own, whatever was told before: a
version that comes back is news again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from verger import __version__
from verger.access.times import timestamp
from verger.files.writing import told_of, writing
from verger.watch.archive import Archive

ATOM = "http://www.w3.org/2005/Atom"

MOST_ENTRIES = 200
"""The most entries of a feed, the newest."""

ALL = "all.atom"

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def write_feeds(
    archive: Archive, folder: str, origins: Sequence[str], *, is_news: bool = True
) -> None:
    """Write the feeds of some origins; and that of all, if there is news, or it is missing.

    Raises UnusableOutput.
    """
    with told_of(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for origin in origins:
        _write(archive, Path(folder) / name_of(origin), origin)
    if is_news or not (Path(folder) / ALL).exists():
        _write(archive, Path(folder) / ALL, None)


def name_of(origin: str) -> str:
    """Return the name of an origin's feed: `https_example.com.atom`."""
    return f"{origin.replace('://', '_').replace(':', '_')}.atom"


def _write(archive: Archive, path: Path, origin: str | None) -> None:
    news = [json.loads(record) for record in archive.latest(origin, MOST_ENTRIES)]
    query = "SELECT coalesce(min(first), 0) FROM observation WHERE origin = coalesce(?, origin)"
    [(first,)] = archive.ask(query, origin)
    updated = news[0]["time"] if news else timestamp(first)
    with writing(path) as file:
        file.write(_feed(origin, updated, news))


def _feed(origin: str | None, updated: str, news: Sequence[dict[str, Any]]) -> bytes:
    feed = Element("feed", xmlns=ATOM)
    about = f"{origin}/robots.txt" if origin else "all watched sites"
    _add(feed, "id", f"urn:uuid:{uuid5(NAMESPACE_URL, f'verger watch {about}')}")
    _add(feed, "title", f"robots.txt of {origin}" if origin else f"robots.txt of {about}")
    _add(feed, "updated", updated)
    _add(SubElement(feed, "author"), "name", "verger watch")
    SubElement(feed, "generator", version=__version__).text = "verger"
    for each in news:
        entry = SubElement(feed, "entry")
        _add(entry, "id", f"urn:uuid:{each['id']}")
        _add(entry, "title", each["summary"])
        _add(entry, "updated", each["time"])
        SubElement(entry, "link", rel="alternate", href=f"{each['origin']}/robots.txt")
        for term in (each["state"]["new"], each["severity"], *each["purposes"]):
            if term:
                SubElement(entry, "category", term=term)
        _add(entry, "content", "\n".join((each["summary"], *each["text"])))
    return f"{DECLARATION}{tostring(feed, 'unicode')}\n".encode()


def _add(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = text
