"""Contents: the groups and records of a file, without lines and layout.

In: a parsed file. Out: values to compare with the intended result of an edit.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from verger._core import Group, RobotsTxt, _placed_records
from verger.grouping import by_key

RuleText: TypeAlias = tuple[bool, bytes]
"""Whether a rule allows, and its pattern as written."""

GroupText: TypeAlias = tuple[tuple[str, ...], tuple[RuleText, ...]]
"""Product tokens and rules."""


class GroupContents(NamedTuple):
    """The contents of a group, or of a file in addition to its groups: records alone."""

    tokens: tuple[str, ...]
    rules: tuple[RuleText, ...]
    records: tuple[tuple[str, str], ...]
    """Sorted, since their order says nothing."""


def contents_of(robots: RobotsTxt) -> list[GroupContents]:
    """Return the contents of each group of a file in its dialect, and last those of the file."""
    records = {at: (*sorted(said),) for at, said in records_by_group(robots).items()}
    groups = (
        GroupContents(*settled(text_of(group)), records.get(at, ()))
        for at, group in enumerate(robots.groups)
    )
    return [*groups, GroupContents((), (), records.get(None, ()))]


def records_by_group(robots: RobotsTxt) -> Mapping[int | None, list[tuple[str, str]]]:
    """Return fields and values of the records of each group, by its index; of the whole file, by
    None."""
    return by_key((place, (field, raw)) for place, _, field, raw in _placed_records(robots))


def first_line(group: Group) -> int:
    """Return what tells a group from the others of its file; 0 if it names nobody."""
    return next(iter(group.start_lines), 0)


def text_of(group: Group) -> GroupText:
    """Return the product tokens and rules of a group."""
    return group.product_tokens, tuple((rule.allow, rule.pattern_bytes) for rule in group.rules)


def settled(group: GroupText) -> GroupText:
    """Return a group without its rules if all of them are empty.

    A lone empty `Disallow:` only separates a group from the next (RFC 9309 section 2.2.1).
    """
    tokens, rules = group
    return tokens, rules if any(pattern for _, pattern in rules) else ()
