"""Whether two versions of a file mean the same to every crawler.

In: the bytes before and after. Out: yes only if it is proved, for every known crawler and each
dialect, that all URLs get the same answer and all records apply to the same crawlers.
"""

from collections import Counter, defaultdict
from typing import TypeAlias

from verger._core import DIALECTS, RobotsTxt, parse
from verger.analysis.contents import GroupText, records_by_group, text_of
from verger.analysis.proof import kin_of, prove
from verger.analysis.readings import readings
from verger.analysis.rules import STEPS, Budget

STEPS_OF_ALL = 8 * STEPS
"""The most steps of the proofs in all dialects."""

Text: TypeAlias = tuple[list[GroupText], defaultdict[int | None, list[tuple[str, str]]]]


def says_the_same(old: bytes, new: bytes, *, url: str | None = None) -> bool:
    """Whether it is proved that no decision and no record changes."""
    budget = Budget(STEPS_OF_ALL)
    return all(
        _is_same(parse(old, dialect=dialect, url=url), parse(new, dialect=dialect, url=url), budget)
        for dialect in DIALECTS.values()
    )


def _is_same(old: RobotsTxt, new: RobotsTxt, budget: Budget) -> bool:
    pairs = [(before, after) for _, before, after in readings(old, new)]
    both = [(_text(before), _text(after)) for before, after in pairs]
    if all(before == after for before, after in both):
        return old.truncated == new.truncated
    if any(Counter(before[1][None]) != Counter(after[1][None]) for before, after in both):
        return False
    kin: dict[str, None] = {}
    for before, after in pairs:
        if (names := kin_of(before, after)) is None:
            return False
        kin |= dict.fromkeys(names)
    return prove(old, new, [*kin], budget=budget).keeps_everything


def _text(robots: RobotsTxt) -> Text:
    """Return a file without lines and layout: its groups, and the records of each, by its index;
    None for the whole file."""
    return list(map(text_of, robots.groups)), records_by_group(robots)
