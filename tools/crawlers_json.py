"""Write the registry of crawlers as one JSON for other languages than Python.

In: the package, as it is built. Out: JSON on stdout, whose names are those of `verger.crawlers` in
the spelling of JavaScript; what most crawlers have is left out.
"""

import json
import sys
from typing import Any

from verger.crawlers.purposes import PURPOSES, USES
from verger.crawlers.registry import Crawler, all_crawlers, all_sources

USUAL = {
    "kind": "crawler",
    "boundBy": "groups",
    "follows": (),
    "isHearsay": False,
    "isUnverified": False,
    "honours": (),
    "url": None,
}
"""What is left out; the package of JavaScript fills it in."""


def main() -> None:
    """Write the registry."""
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
    content = {
        "purposes": PURPOSES,
        "uses": USES,
        "usual": USUAL,
        "sources": sources,
        "crawlers": [facts_of(crawler) for crawler in all_crawlers()],
    }
    json.dump(content, sys.stdout, ensure_ascii=False, separators=(",", ":"))


def facts_of(crawler: Crawler) -> dict[str, Any]:
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
        "isHearsay": crawler.is_hearsay,
        "isUnverified": crawler.is_unverified,
        "honours": tuple(
            {"mechanism": each.mechanism, "title": each.title, "date": each.date}
            for each in crawler.honours
        ),
    }
    return {name: value for name, value in facts.items() if value != USUAL.get(name, ...)}


if __name__ == "__main__":
    main()
