"""Whether two versions of a file mean the same to every crawler.

In: the bytes before and after. Out: yes only if it is proved, for every known crawler and each
dialect of 2019 or later, that all URLs get the same answer and all records apply to the same
crawlers.
"""

from collections import Counter
from typing import TypeAlias

from verger._core import DIALECTS, Group, RobotsTxt, parse
from verger.analysis.meaning import placed_records, text_of
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

RecordText: TypeAlias = tuple[str, str, int | None]


def says_the_same(old: bytes, new: bytes, *, url: str | None = None) -> bool:
    """Whether it is proved that no decision and no record changes."""
    return all(
        _is_same(parse(old, dialect=dialect, url=url), parse(new, dialect=dialect, url=url))
        for dialect in MODERN
    )


def _is_same(old: RobotsTxt, new: RobotsTxt) -> bool:
    names: dict[tuple[str, ...], int] = {}
    if _records(old, names) != _records(new, names):
        return False
    if list(map(text_of, old.groups)) == list(map(text_of, new.groups)):
        return old.truncated == new.truncated
    return prove(old, new).is_empty


def _records(robots: RobotsTxt, names: dict[tuple[str, ...], int]) -> Counter[RecordText]:
    """Return the records of a file, each with the crawlers that it applies to.

    names:  a number for each list of crawlers; hundreds of records may apply to thousands.
    """
    groups = [_names_of(group) for group in robots.groups]
    numbers = [names.setdefault(tokens, len(names)) for tokens in groups]
    return Counter(
        (record.field, record.raw, None if at is None else numbers[at])
        for record, at in placed_records(robots)
    )


def _names_of(group: Group) -> tuple[str, ...]:
    return tuple(sorted({token.lower() for token in tokens_of(group)}))
