"""Write the packaged registry of crawlers; with `--check`, compare it.

In: tools/crawlers.toml, which holds what operators publish, corrections of the lists, and the
purposes of crawlers, and overrides all else; and `crawlers.json` of an archive of lists, which
holds for each crawler a token, its operator, whether it is said to follow robots.txt, a URL, and
the lists that name it. Without an archive, the registry itself is used instead.
Out: python/verger/crawlers/registry.json, sorted, one crawler on each line. Only facts are copied
from the lists: where a list gives a sentence as an operator, the name here replaces it. The archive
also holds text of others, and is not a part of the tree.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeAlias

from verger import InvalidProductToken, check_product_token
from verger.crawlers import PURPOSES
from verger.crawlers.registry import LISTS, UNVERIFIED

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "tools" / "crawlers.toml"
REGISTRY = ROOT / "python" / "verger" / "crawlers" / "registry.json"

BINDINGS = REGISTRY.with_name("binding_table.py")

BINDINGS_HEAD = '''\
"""Crawlers that follow other groups than RFC 9309 section 2.2.1 says, or no groups.

By token in lower case: the kind, what binds it, whom it follows, whether it obeys robots.txt, and
the page that says so. Written by tools/crawlers.py from tools/crawlers.toml. A module, because
every command asks it.
"""

# fmt: off

Binding = tuple[str, str, tuple[str, ...], str, str]

_TOKENS: dict[Binding, str] = {
'''

BINDINGS_END = """\
}

BINDINGS: dict[str, Binding] = dict(
    sorted((token, binding) for binding, tokens in _TOKENS.items() for token in tokens.split())
)
"""

Row: TypeAlias = dict[str, Any]
Binding: TypeAlias = tuple[str, str, tuple[str, ...], str, str]

SOURCE_OF = {
    "curated": UNVERIFIED,
    "ai.robots.txt": "ai.robots.txt",
    "monperrus/crawler-user-agents": "crawler-user-agents",
}

FIELDS = ("token", "operator", "purposes", "respects", "url", "sources")
"""Of a crawler in the registry."""

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
    """Write the registry, or say that it is not what the sources give."""
    is_check = "--check" in words
    paths = [word for word in words if word != "--check"]
    if len(paths) > 1:
        return fail("usage: tools/crawlers.py [--check] [CRAWLERS.JSON]")
    try:
        texts = texts_of(Path(paths[0]) if paths else None)
    except (OSError, ValueError, KeyError, ArchiveError) as error:
        return fail(f"cannot read {f'`{paths[0]}`' if paths else 'the registry'}: {error}")
    for path, text in texts.items():
        if not is_check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            return fail(f"`{path.relative_to(ROOT)}` is not what `tools/crawlers.py` writes")
    return 0


def fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


def texts_of(archive: Path | None) -> dict[Path, str]:
    """Return what is packaged: the registry, and apart from it whom crawlers follow."""
    content = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    return {REGISTRY: registry_of(archive, content), BINDINGS: bindings_of(content["page"])}


def registry_of(archive: Path | None, content: dict[str, Any]) -> str:
    """Return the registry as JSON, one source or crawler a line."""
    listed = listed_in(archive) if archive else json.loads(REGISTRY.read_text("utf-8"))["crawlers"]
    pages, amendments = content["page"], content["amended"]
    laid = laid_over(list(with_purposes(amended(listed, amendments), content["purposes"])), pages)
    rows = sorted(laid, key=lambda row: row["token"].lower())
    expect_distinct([row["token"] for row in rows])
    sources = {page["name"]: source_of(page) for page in pages}
    return (
        f'{{\n"sources": {{\n{lines_of(map(member, sources.items()))}\n}},\n'
        f'"without_delay": [\n{lines_of(map(json_of, content["without_delay"]))}\n],\n'
        f'"honours": [\n{lines_of(map(json_of, content["honours"]))}\n],\n'
        f'"crawlers": [\n{lines_of(map(json_of, rows))}\n]\n}}\n'
    )


def bindings_of(pages: list[Row]) -> str:
    """Return a module: who follows other groups than RFC 9309 says, or none."""
    rows = {
        crawler["token"].lower(): (
            crawler.get("kind", "crawler"),
            crawler.get("bound_by", "groups"),
            tuple(crawler.get("follows", ())),
            crawler["respects"],
            page["title"],
        )
        for page in pages
        for crawler in page["crawlers"]
        if {"kind", "bound_by", "follows"} & set(crawler)
    }
    tokens: dict[Binding, list[str]] = {}
    for token, row in sorted(rows.items()):
        tokens.setdefault(row, []).append(token)
    entries = (entry_of(row, " ".join(names)) for row, names in tokens.items())
    return f"{BINDINGS_HEAD}{''.join(entries)}{BINDINGS_END}"


def entry_of(binding: Binding, tokens: str) -> str:
    """Return an entry of a table in Python: what holds of some crawlers, and who they are."""
    kind, bound_by, followed, respects, title = binding
    follows = "".join(f"{json_of(token)}," for token in followed)
    words = f"{json_of(kind)}, {json_of(bound_by)}, ({follows}), {json_of(respects)}"
    key = f"(\n        {words},\n        {json_of(title)},\n    )"
    lines = "".join(f'        "{line} "\n' for line in wrap(tokens, 88, break_on_hyphens=False))
    return f"    {key}: (\n{lines}    ),\n"


def listed_in(archive: Path) -> list[Row]:
    """Return the crawlers of the archive."""
    content = json.loads(archive.read_text(encoding="utf-8"))
    expect_sources(content["about"]["licences"])
    return list(kept(content["crawlers"]))


def amended(listed: Iterable[Row], amendments: Iterable[Row]) -> list[Row]:
    """Return the crawlers of the lists, with what these leave out or get wrong."""
    rows = {row["token"].lower(): row for row in listed}
    for facts in amendments:
        check_product_token(facts["token"])
        known = rows.get(facts["token"].lower(), {"sources": [UNVERIFIED]})
        row = {**known, **facts}
        rows[facts["token"].lower()] = row
    return list(rows.values())


def with_purposes(rows: list[Row], told: dict[str, str]) -> Iterator[Row]:
    """Yield the crawlers of the lists with what they are for: what nobody says is `unknown`."""
    purposes = {
        token.lower(): words.split() for words, tokens in told.items() for token in tokens.split()
    }
    for row in rows:
        found = purposes.pop(row["token"].lower(), ["unknown"])
        if not set(found) <= set(PURPOSES):
            raise ArchiveError(f"`{' '.join(found)}` are not purposes of the registry")
        yield {field: {**row, "purposes": found}[field] for field in FIELDS}
    if purposes:
        raise ArchiveError(f"no list names {', '.join(purposes)}: their purpose is not used")


def laid_over(listed: Iterable[Row], pages: Iterable[Row]) -> list[Row]:
    """Return the crawlers of the lists, each as its operator describes it where one does."""
    rows = {row["token"].lower(): row for row in listed}
    for page in pages:
        for crawler in page["crawlers"]:
            check_product_token(crawler["token"])
            known = rows.get(crawler["token"].lower(), {}).get("sources", [])
            rows[crawler["token"].lower()] = published_row(page, crawler, known)
    return list(rows.values())


def published_row(page: Row, crawler: Row, known: list[str]) -> Row:
    """Return what a page says of a crawler; `known` is who else names it."""
    lists = [name for name in known if name in LISTS and name != UNVERIFIED]
    return {
        "token": crawler["token"],
        "operator": page.get("operator"),
        "purposes": crawler["purposes"],
        "respects": crawler["respects"],
        "url": page.get("url"),
        "sources": [page["name"], *crawler.get("also", ()), *lists],
    }


def source_of(page: Row) -> Row:
    return {name: page[name] for name in ("title", "date", "url", "secondary") if name in page}


def member(item: tuple[str, Row]) -> str:
    return f"{json_of(item[0])}: {json_of(item[1])}"


def json_of(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def lines_of(lines: Iterable[str]) -> str:
    return ",\n".join(lines)


def expect_sources(licences: dict[str, str]) -> None:
    """Refuse other lists, or other versions of them, than those that `LISTS` tells of."""
    for name, licence in licences.items():
        if name == "curated":
            continue
        source = LISTS[SOURCE_OF[name]]
        if not licence.startswith(source.licence.split(";")[0]):
            raise ArchiveError(f"`{name}` is under `{licence}`, not `{source.licence}`")
        if "@" in licence and source.date not in licence:
            raise ArchiveError(f"`{name}` is of another date than {source.date}")


def kept(crawlers: list[Row]) -> Iterator[Row]:
    """Yield the rows that a robots.txt file can name.

    A name with a space or a slash in it is not a product token: a group's line that has it is read
    up to there, so that no crawler can be asked about by it (RFC 9309 section 2.2.1).
    """
    for crawler in crawlers:
        try:
            check_product_token(crawler["token"])
        except InvalidProductToken:
            continue
        yield row_of(crawler)


def row_of(crawler: Row) -> Row:
    return {
        "token": crawler["token"],
        "operator": operator_of(crawler["operator"]),
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
        raise ArchiveError(f"`{text}` is not a name of an operator: add it to `OPERATOR_OF`")
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
