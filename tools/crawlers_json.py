"""Write the registry of crawlers as one JSON for other languages than Python.

In: the package in the tree, which need not be compiled: what its core knows of crawlers stands in
tools/crawlers.toml, from which tools/crawlers.py makes the table of the core, and its vocabulary of
use in its source. Out: JSON on stdout, whose names are those of `verger.crawlers` in the spelling
of JavaScript; what most crawlers have is left out.
"""

import json
import re
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verger.crawlers.registry import Crawler

PUBLISHED = Path(__file__).resolve().with_name("crawlers.toml")
PACKAGE = Path(__file__).resolve().parent.parent / "python" / "verger"
VOCABULARY = PACKAGE.parent.parent / "crates" / "core" / "src" / "vocabulary.rs"
ROW = re.compile(r'\bname: "([^"]+)",.*?\bpurpose: "([^"]+)"', re.DOTALL)


class Uncompiled(ModuleType):
    """The core with its names alone, but for what it knows of crawlers."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        published = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))
        registry = json.loads((PACKAGE / "crawlers" / "registry.json").read_text(encoding="utf-8"))
        self.DIALECTS: dict[str, object] = defaultdict(object)  # are named, and not asked
        self._USES = ROW.findall(VOCABULARY.read_text(encoding="utf-8"))
        self._dialects: dict[str, str] = published["dialects"]
        self._operators = {row["token"]: row["operator"] for row in registry["crawlers"]}
        self._rows = {row["token"]: row for page in published["page"] for row in page["crawlers"]}

    def __getattr__(self, name: str) -> type:
        """Return a class without content."""
        return type(name, (), {})

    def _documented(self, token: str) -> tuple[str, str, tuple[str, ...]]:
        row = self._rows.get(token, {})
        follows = tuple(row.get("follows", ()))
        return row.get("kind", "crawler"), row.get("bound_by", "groups"), follows

    def _dialect_of_crawler(self, token: str) -> str | None:
        return self._dialects.get(self._operators[token])


def without_core() -> None:
    """Let modules of the package be imported without the core, which `verger` itself imports."""
    package = sys.modules["verger"] = ModuleType("verger")
    package.__path__ = [str(PACKAGE)]
    sys.modules["verger._core"] = Uncompiled("verger._core")


USUAL = {
    "kind": "crawler",
    "boundBy": "groups",
    "follows": (),
    "dialect": None,
    "isHearsay": False,
    "isUnverified": False,
    "honours": (),
    "url": None,
}
"""What is left out; the package of JavaScript fills it in."""


def content() -> dict[str, Any]:
    """Return the registry."""
    from verger.crawlers.purposes import PURPOSES, USES
    from verger.crawlers.registry import all_crawlers, all_sources

    sources = {
        name: {
            "title": source.title,
            "date": source.date,
            "licence": source.licence,
            "url": source.url,
            "secondary": source.secondary,
        }
        for name, source in all_sources().items()
    }
    return {
        "purposes": PURPOSES,
        "uses": USES,
        "usual": USUAL,
        "sources": sources,
        "crawlers": [facts_of(crawler) for crawler in all_crawlers()],
    }


def facts_of(crawler: "Crawler") -> dict[str, Any]:
    """Return what is known of a crawler."""
    facts = {
        "token": crawler.token,
        "operator": crawler.operator,
        "purposes": crawler.purposes,
        "respects": crawler.respects,
        "sources": crawler.sources,
        "url": crawler.url,
        "kind": crawler.kind,
        "boundBy": crawler.bound_by,
        "follows": crawler.follows,
        "dialect": crawler.dialect,
        "isHearsay": crawler.is_hearsay,
        "isUnverified": crawler.is_unverified,
        "honours": tuple(
            {"mechanism": each.mechanism, "title": each.title, "date": each.date}
            for each in crawler.honours
        ),
    }
    return {name: value for name, value in facts.items() if value != USUAL.get(name, ...)}


if __name__ == "__main__":
    without_core()
    json.dump(content(), sys.stdout, ensure_ascii=False, separators=(",", ":"))
