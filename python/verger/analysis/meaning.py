"""Meanings: the groups and records of a file, without lines and layout.

In: a parsed file. Out: a value to compare with the intended result of an edit.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
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
class Meaning:
    """The meaning of a file."""

    groups: tuple[GroupText, ...]
    records: Counter[RecordText] = field(default_factory=Counter)

    def with_group(self, at: int, group: GroupText) -> "Meaning":
        """Return the meaning with one more group."""
        groups = (*self.groups[:at], _settled(group), *self.groups[at:])
        return Meaning(groups, self._moved(at, 1))

    def with_groups(self, groups: Sequence[GroupText | None]) -> "Meaning":
        """Return the meaning with other groups; None removes a group with its records."""
        kept = [at for at, group in enumerate(groups) if group is not None]
        places: dict[int | None, int | None] = {old: new for new, old in enumerate(kept)}
        places[None] = None
        records = Counter(
            {
                (name, raw, places[own]): n
                for (name, raw, own), n in self.records.items()
                if own in places
            }
        )
        return Meaning(tuple(_settled(group) for group in groups if group is not None), records)

    def with_changed_group(self, at: int, group: GroupText) -> "Meaning":
        """Return the meaning with one group replaced."""
        groups = (*self.groups[:at], _settled(group), *self.groups[at + 1 :])
        return replace(self, groups=groups)

    def with_records(
        self, more: Sequence[RecordText] = (), fewer: Sequence[RecordText] = ()
    ) -> "Meaning":
        """Return the meaning with some records added and some removed."""
        records = Counter(self.records)
        records.update(more)
        records.subtract(fewer)
        return replace(self, records=+records)

    def _moved(self, at: int, by: int) -> Counter[RecordText]:
        """Return the records with the indices of groups shifted from one index on."""
        return Counter(
            {
                (name, raw, own if own is None or own < at else own + by): n
                for (name, raw, own), n in self.records.items()
            }
        )


def meaning_of(robots: RobotsTxt) -> Meaning:
    """Return the meaning of a file in its dialect."""
    records = Counter((record.field, record.raw, at) for record, at in placed_records(robots))
    return Meaning(tuple(_settled(text_of(group)) for group in robots.groups), records)


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
