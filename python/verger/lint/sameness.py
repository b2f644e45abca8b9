"""Whether two versions of a file mean the same to every crawler.

In: the bytes before and after. Out: yes only if it is proved, for every known crawler and each
dialect of 2019 or later, that all URLs get the same answer and all records apply to the same
crawlers.
"""

from collections import Counter
from typing import TypeAlias

from verger._core import DIALECTS, RobotsTxt, parse
from verger.analysis.meaning import text_of
from verger.analysis.places import EVERY_FIELD
from verger.analysis.proof import prove
from verger.lint.names import tokens_of

RETIRED = ("original-1994", "koster-1996")
"""Dialects from before 2019: no known crawler reads files as they do."""

MODERN = tuple(
    dialect.replace(extensions=EVERY_FIELD)
    for name, dialect in DIALECTS.items()
    if name not in RETIRED
)

RecordText: TypeAlias = tuple[str, str, tuple[str, ...] | None]


def says_the_same(old: bytes, new: bytes, *, url: str | None = None) -> bool:
    """Whether it is proved that no decision and no record changes."""
    return all(
        _is_same(parse(old, dialect=dialect, url=url), parse(new, dialect=dialect, url=url))
        for dialect in MODERN
    )


def _is_same(old: RobotsTxt, new: RobotsTxt) -> bool:
    if _records(old) != _records(new):
        return False
    if list(map(text_of, old.groups)) == list(map(text_of, new.groups)):
        return old.truncated == new.truncated
    return prove(old, new).is_empty


def _records(robots: RobotsTxt) -> Counter[RecordText]:
    """Return the records of a file, each with the crawlers that it applies to."""
    records = robots.records
    groups = {id(each.group): each.group for each in records if each.group}  # one for many records
    tokens = {
        key: tuple(sorted({token.lower() for token in tokens_of(group)}))
        for key, group in groups.items()
    }
    return Counter((each.field, each.raw, tokens.get(id(each.group))) for each in records)
