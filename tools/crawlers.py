"""Write the packaged registry of crawlers; with `--check`, compare it.

In: tools/crawlers.toml, which holds what operators publish, corrections of the lists, and the
purposes of crawlers, and overrides all else; and `crawlers.json` of an archive of lists, which
holds for each crawler a token, its operator, whether it is said to follow robots.txt, a URL, and
the lists that name it. Without an archive, the registry itself is used instead.
Out: python/verger/crawlers/registry.json, sorted, one crawler on each line; and what answers depend
on once more, as a module of Python and one of Rust, which need not be read. Only facts are copied
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
from typing import Any, TypeAlias

from verger import DIALECTS, InvalidProductToken, check_product_token
from verger.crawlers import PURPOSES, USES
from verger.crawlers.registry import LISTS, UNVERIFIED

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "tools" / "crawlers.toml"
REGISTRY = ROOT / "python" / "verger" / "crawlers" / "registry.json"

CORE_TABLE = ROOT / "crates" / "core" / "src" / "registry_table.rs"

CORE_TEXT = """\
//! The registry, as far as the core needs it.
//!
//! Written by tools/crawlers.py from tools/crawlers.toml.

use crate::dialect::{{Dialect, {constants}}};
use crate::documented::{{BoundBy, Documented, PolicyToken}};
use crate::vocabulary::Use;

/// The dialect of each operator that has one, or a policy token.
pub(crate) static DIALECT_OF: &[Option<&Dialect>] = &[
{dialects}];

/// Crawlers of these operators, by token in lower case, each with the place of its operator.
pub(crate) static TOKENS: &[(&str, u8)] = &[
{tokens}];

/// Product tokens that stand for a use, in the order of the registry.
pub(crate) static POLICY_TOKENS: &[PolicyToken] = &[
{policy_tokens}];

/// What operators say of crawlers that follow other groups than RFC 9309 section 2.2.1 says.
pub(crate) static DOCUMENTED: &[Documented] = &[
{documented}];

/// These crawlers, by token in lower case, each with the place of what is said of it.
pub(crate) static DOCUMENTED_OF: &[(&str, u8)] = &[
{documented_of}];
"""

DOCUMENTED = """\
    Documented {{
        is_policy_token: {is_policy_token},
        bound_by: BoundBy::{bound_by},
        follows: &[{follows}],
        ignores: {ignores},
        title: {title},
    }},
"""

POLICY_TOKEN = """\
    PolicyToken {{
        token: {token},
        title: {title},
        operator: {operator},
        uses: &[{uses}],
    }},
"""

Row: TypeAlias = dict[str, Any]

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
    """Return what is packaged: the registry, and what the core needs of it."""
    content = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
    rows = crawlers_of(archive, content)
    return {
        REGISTRY: registry_of(rows, content),
        CORE_TABLE: core_table_of(rows, content),
    }


def crawlers_of(archive: Path | None, content: dict[str, Any]) -> list[Row]:
    """Return every crawler, sorted by token."""
    listed = listed_in(archive) if archive else json.loads(REGISTRY.read_text("utf-8"))["crawlers"]
    pages, amendments = content["page"], content["amended"]
    laid = laid_over(list(with_purposes(amended(listed, amendments), content["purposes"])), pages)
    rows = sorted(laid, key=lambda row: row["token"].lower())
    expect_distinct([row["token"] for row in rows])
    return rows


def registry_of(rows: list[Row], content: dict[str, Any]) -> str:
    """Return the registry as JSON, one source or crawler a line."""
    sources = {page["name"]: source_of(page) for page in content["page"]}
    return (
        f'{{\n"sources": {{\n{lines_of(map(member, sources.items()))}\n}},\n'
        f'"without_delay": [\n{lines_of(map(json_of, content["without_delay"]))}\n],\n'
        f'"honours": [\n{lines_of(map(json_of, content["honours"]))}\n],\n'
        f'"crawlers": [\n{lines_of(map(json_of, rows))}\n]\n}}\n'
    )


def core_table_of(rows: list[Row], content: dict[str, Any]) -> str:
    """Return a module of Rust: dialects of operators, policy tokens, and whom crawlers follow."""
    dialects, pages = content["dialects"], content["page"]
    if unknown := set(dialects.values()) - set(DIALECTS):
        raise ArchiveError(f"there are no dialects {sorted(unknown)}")
    kinds = {row["token"]: row.get("kind") for page in pages for row in page["crawlers"]}
    policies = [row for row in rows if kinds.get(row["token"]) == "policy-token"]
    named = {*dialects, *(row["operator"] for row in policies if row["operator"])}
    if missing := named - {row["operator"] for row in rows}:
        raise ArchiveError(f"no crawler is of {sorted(missing)}")
    places = {operator: place for place, operator in enumerate(sorted(named))}
    told = {name: f"Some(&{constant_of(dialects[name])})" for name in dialects}
    known = sorted((row["token"].lower(), places.get(row["operator"])) for row in rows)
    documented = documented_in(pages)
    values = list(dict.fromkeys(documented.values()))
    return CORE_TEXT.format(
        constants=", ".join(sorted(set(map(constant_of, dialects.values())))),
        dialects="".join(f"    {told.get(name)}, // {name}\n" for name in places),
        tokens="".join(f'    ("{token}", {at}),\n' for token, at in known if at is not None),
        policy_tokens="".join(policy_token_of(row, places, pages) for row in policies),
        documented="".join(values),
        documented_of="".join(
            f'    ("{token}", {values.index(value)}),\n' for token, value in documented.items()
        ),
    )


def constant_of(dialect: str) -> str:
    return dialect.upper().replace("-", "_")


def policy_token_of(row: Row, places: dict[str, int], pages: list[Row]) -> str:
    """Return a policy token as a value of Rust."""
    title = next(page["title"] for page in pages if page["name"] == row["sources"][0])
    uses = [use.title().replace("-", "") for use in USES if USES[use] in row["purposes"]]
    return POLICY_TOKEN.format(
        token=json_of(row["token"]),
        title=json_of(title),
        operator=f"Some({places[row['operator']]})" if row["operator"] else "None",
        uses=", ".join(f"Use::{use}" for use in uses),
    )


def documented_in(pages: list[Row]) -> dict[str, str]:
    """Return what is said of crawlers that follow other groups than RFC 9309 says, or none, as
    values of Rust, by token."""
    found = {
        crawler["token"].lower(): DOCUMENTED.format(
            is_policy_token=json_of(crawler.get("kind") == "policy-token"),
            bound_by=crawler.get("bound_by", "groups").title().replace("-", ""),
            follows=", ".join(map(json_of, crawler.get("follows", ()))),
            ignores=json_of(crawler["respects"] == "no"),
            title=json_of(page["title"]),
        )
        for page in pages
        for crawler in page["crawlers"]
        if {"kind", "bound_by", "follows"} & set(crawler)
    }
    return dict(sorted(found.items()))


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
