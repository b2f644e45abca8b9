"""Contents: the groups and records of a file, without lines and layout.

In: a parsed file. Out: a value to compare with the intended result of an edit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from verger._core import Group, Record, RobotsTxt

RuleText: TypeAlias = tuple[bool, bytes]
"""Whether a rule allows, and its pattern as written."""

GroupText: TypeAlias = tuple[tuple[str, ...], tuple[RuleText, ...]]
"""Product tokens and rules."""

RecordText: TypeAlias = tuple[str, str, int | None]
"""Field, value, and the index of its group, None for a record of the whole file."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a file."""

    groups: tuple[GroupText, ...]
    records: Counter[RecordText] = field(default_factory=Counter)

    def regrouped(self, groups: Iterable[tuple[int | None, GroupText]]) -> "Contents":
        """Return the contents with other groups, each with the index of the one whose records it
        has; None for a group without records."""
        new = list(groups)
        places: dict[int | None, int | None] = {old: at for at, (old, _) in enumerate(new)}
        places[None] = None
        records = Counter(
            {
                (name, raw, places[own]): n
                for (name, raw, own), n in self.records.items()
                if own in places
            }
        )
        return Contents(tuple(_settled(group) for _, group in new), records)

    def with_records(
        self, more: Sequence[RecordText] = (), fewer: Sequence[RecordText] = ()
    ) -> "Contents":
        """Return the contents with some records added and some removed."""
        records = Counter(self.records)
        records.update(more)
        records.subtract(fewer)
        return replace(self, records=+records)


def contents_of(robots: RobotsTxt) -> Contents:
    """Return the contents of a file in its dialect."""
    records = Counter((record.field, record.raw, at) for record, at in placed_records(robots))
    return Contents(tuple(_settled(text_of(group)) for group in robots.groups), records)


def placed_records(robots: RobotsTxt) -> Iterator[tuple[Record, int | None]]:
    """Yield the records of a file, each with the index of its group, None if it has none."""
    records = robots.records
    # Records of one group share it; its start-group lines, perhaps thousands, are listed once.
    groups = {id(record.group): record.group for record in records if record.group}
    places = {first_line(group): at for at, group in enumerate(robots.groups if groups else ())}
    known = {key: places[first_line(group)] for key, group in groups.items()}
    for record in records:
        yield record, known.get(id(record.group))


def first_line(group: Group) -> int:
    """Return what tells a group from the others of its file; 0 if it names nobody."""
    return next(iter(group.start_lines), 0)


def text_of(group: Group) -> GroupText:
    """Return the product tokens and rules of a group."""
    return group.product_tokens, tuple((rule.allow, rule.pattern_bytes) for rule in group.rules)


def _settled(group: GroupText) -> GroupText:
    """Return a group without its rules if all of them are empty.

    A lone empty `Disallow:` only separates a group from the next (RFC 9309 section 2.2.1).
    """
    tokens, rules = group
    return tokens, rules if any(pattern for _, pattern in rules) else ()
