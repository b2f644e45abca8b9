"""Write the packaged registry of crawlers from an archive of lists; with `--check`, compare.

In: `crawlers.json` of the archive: for each crawler a token, its operator, what it is for, what is
claimed of its obedience, an address, and the lists that name it. Out: the same facts in
python/verger/crawlers/registry.json, sorted, one crawler a line. Facts alone are taken over; the
sentences in which the lists put some operators are replaced by names here. The archive holds more
than facts and stays out of the tree.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from verger import InvalidProductToken, parse
from verger.crawlers import PURPOSES, SOURCES

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = ROOT / "python" / "verger" / "crawlers" / "registry.json"

Row: TypeAlias = dict[str, Any]

PURPOSE_OF = {
    "search-indexing": "search",
    "ai-search-retrieval": "ai-search",
    "ai-training": "training",
    "user-triggered-fetch": "user-triggered",
    "ai-agent": "agent",
    # Both say "for AI, and it is not told how"; which of them depends on the list alone.
    "ai-data-scraping": "ai-data",
    "ai-other": "ai-data",
    "archiving": "archive",
    "social-preview": "preview",
    "seo": "seo",
    "advertising": "advertising",
    "monitoring": "monitoring",
    "security": "security",
    "research-other": "research",
    "feed-reader": "feeds",
    "http-library": "library",
}
"""What the archive calls a purpose, and what the registry does."""

SOURCE_OF = {
    "curated": "documentation",
    "ai.robots.txt": "ai.robots.txt",
    "monperrus/crawler-user-agents": "crawler-user-agents",
}

LONGEST_OPERATOR = 40
SENTENCE = re.compile(r"https?:|, | that |\bthe\b|\bto\b|\.$|…")

OPERATOR_OF = {
    "Ai2, a non-profit AI research institute": "Ai2",
    "Alibaba that fetches": "Alibaba",
    "Amazon, used for": "Amazon",
    "Baidu that fetches": "Baidu",
    "Big Sur AI that fetches": "Big Sur AI",
    "Butterfly Effect, a company": "Butterfly Effect",
    "Cohere to download": "Cohere",
    "CragSoftware, a Brazil-based": "CragSoftware",
    "Firecrawl that extracts": "Firecrawl",
    "GeistHaus, a company": "GeistHaus",
    "Google that retrieves": "Google",
    "Grok-adjacent": None,
    "Kagi that fetches": "Kagi",
    "Large-scale Artificial Intelligence Open Network": "LAION",
    "Lyrenth that builds": "Lyrenth",
    "Moonshot AI that fetches": "Moonshot AI",
    "Naget Inc (founded": "Naget",
    "Poggio, a company": "Poggio",
    "Querit that indexes": "Querit",
    "Querit, a company": "Querit",
    "Twin, a platform": "Twin",
    "https://brightdata.com": "Bright Data",
    "https://safe.search.brave.com": "Brave",
    "the Chinese company Huawei": "Huawei",
}
"""Operators that a list describes, by how the description begins; None where it names nobody."""


class ArchiveError(Exception):
    """The archive is not what this was written for; the message says where."""


def main(words: list[str]) -> int:
    """Write the registry, or say that it is not what the archive gives."""
    is_check = "--check" in words
    paths = [word for word in words if word != "--check"]
    if len(paths) != 1:
        return fail("usage: tools/crawlers.py [--check] CRAWLERS.JSON")
    try:
        text = registry_of(Path(paths[0]))
    except (OSError, ValueError, KeyError, ArchiveError) as error:
        return fail(f"cannot take `{paths[0]}` over: {error}")
    if not is_check:
        REGISTRY.write_text(text, encoding="utf-8")
    elif not REGISTRY.exists() or REGISTRY.read_text(encoding="utf-8") != text:
        return fail(f"`{REGISTRY.relative_to(ROOT)}` is not what `tools/crawlers.py` writes")
    return 0


def fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


def registry_of(archive: Path) -> str:
    """Return the registry as JSON, one crawler a line."""
    content = json.loads(archive.read_text(encoding="utf-8"))
    expect_sources(content["about"]["licences"])
    rows = sorted(kept(content["crawlers"]), key=lambda row: row["token"].lower())
    expect_distinct([row["token"] for row in rows])
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n"


def expect_sources(licences: dict[str, str]) -> None:
    """Refuse other lists, or other versions of them, than those that `SOURCES` tells of."""
    for name, licence in licences.items():
        source = SOURCES[SOURCE_OF[name]]
        if not licence.startswith(source.licence.split(";")[0]):
            raise ArchiveError(f"`{name}` is under `{licence}`, not `{source.licence}`")
        if "@" in licence and source.date not in licence:
            raise ArchiveError(f"`{name}` is of another date than {source.date}")


def kept(crawlers: list[Row]) -> Iterator[Row]:
    """Yield the rows that a robots.txt file can name.

    A name with a space or a slash in it is no product token: a group's line that has it is read
    up to there, so that no crawler can be asked about by it (RFC 9309 section 2.2.1).
    """
    nothing = parse(b"")
    for crawler in crawlers:
        try:
            nothing.agent(crawler["token"])
        except InvalidProductToken:
            continue
        yield row_of(crawler)


def row_of(crawler: Row) -> Row:
    purpose = PURPOSE_OF[crawler["purpose"]]
    if purpose not in PURPOSES:
        raise ArchiveError(f"`{purpose}` is no purpose of the registry")
    return {
        "token": crawler["token"],
        "operator": operator_of(crawler["operator"]),
        "purpose": purpose,
        "respects": crawler["respects_robots"],
        "url": url_of(crawler["url"]),
        "sources": [SOURCE_OF[name] for name in crawler["sources"]],
    }


def operator_of(text: str) -> str | None:
    """Return a name; refuse a description that no name is known for."""
    for beginning, name in OPERATOR_OF.items():
        if text.startswith(beginning):
            return name
    if len(text) > LONGEST_OPERATOR or SENTENCE.search(text):
        raise ArchiveError(f"`{text}` is no name of an operator: add it to `OPERATOR_OF`")
    return text.removesuffix(" (software)") or None


def url_of(text: str) -> str | None:
    """Return an address without the bracket that closes the text it was found in."""
    if text.count(")") > text.count("("):
        text = text.removesuffix(")")
    return text or None


def expect_distinct(tokens: list[str]) -> None:
    """Refuse two crawlers that no file could tell apart."""
    known: dict[str, str] = {}
    for token in tokens:
        other = known.setdefault(token.lower(), token)
        if other is not token:
            raise ArchiveError(f"`{other}` and `{token}` differ in case alone")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
