"""Readings: the ways in which one dialect reads a file, and the groups and records that it reads.

In: a dialect, or files. Out: the same with more records; their groups and records without lines and
layout, to compare with what an edit is to give; and the lines that belong to groups, and after
which a new one is inserted. To read a field changes no rule of any crawler, except `Content-Usage`:
by its draft (draft-ietf-aipref-attach-05) it ends the run of start-group lines, as a rule does. No
named dialect reads it, but crawlers that follow the draft do. So what is promised about a file is
proved in both readings.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import groupby, islice
from typing import NamedTuple, TypeAlias

from verger._core import Dialect, Group, Line, Record, RobotsTxt, parse
from verger.dialects import RFC9309

DRAFT = "content-usage"

EVERY_FIELD = (*RFC9309.extensions, DRAFT)


@cache
def ends_group(dialect: Dialect, line: str) -> bool:
    """Whether a line ends a run of start-group lines, as a dialect reads them."""
    example = parse(f"User-agent: a\n{line}\nUser-agent: b\nDisallow: /\n", dialect=dialect)
    return example.groups[-1].product_tokens == ("b",)


@cache
def with_records(dialect: Dialect) -> Dialect:
    """Return a dialect that reads the records of every field, and the groups of another one."""
    is_drafted = ends_group(dialect, f"{DRAFT}: train-ai=n")
    every = dialect.replace(extensions=EVERY_FIELD, usage_ends_starts=is_drafted)
    return dialect if ends_group(every, "crawl-delay: 1") else every


@cache
def readings_of(dialect: Dialect) -> dict[str, Dialect]:
    """Return the readings that a proof about a dialect covers, by name: as it reads by default, and
    as it reads where `Content-Usage` is on; each with the records that other dialects read."""
    default = dialect.replace(extensions=RFC9309.extensions)
    drafted = dialect.replace(extensions=EVERY_FIELD)
    known = with_records(dialect)
    if known in (dialect, drafted):
        return {dialect.name: known}
    return {dialect.name: default, f"{dialect.name}+{DRAFT}": drafted}


def read_again(robots: RobotsTxt, dialect: Dialect) -> RobotsTxt:
    """Return a file as another dialect reads it."""
    return parse(robots.body, dialect=dialect, url=robots.url)


def readings(old: RobotsTxt, new: RobotsTxt) -> Iterator[tuple[str, RobotsTxt, RobotsTxt]]:
    """Yield the name of each reading that a proof covers, and two versions of a file in it.

    The one with `Content-Usage` is left out if neither version has a line of it.
    """
    has_usage = any(DRAFT.encode() in robots.body.lower() for robots in (old, new))
    both = zip(readings_of(old.dialect).items(), readings_of(new.dialect).values(), strict=False)
    for (name, before), after in islice(both, None if has_usage else 1):
        yield name, read_again(old, before), read_again(new, after)


# Groups and records, without lines and layout.

RuleText: TypeAlias = tuple[bool, bytes]
"""Whether a rule allows, and its pattern as written."""

GroupText: TypeAlias = tuple[tuple[str, ...], tuple[RuleText, ...]]
"""Product tokens and rules."""


class GroupContents(NamedTuple):
    """The contents of a group, or of a file in addition to its groups: records alone."""

    tokens: tuple[str, ...]
    rules: tuple[RuleText, ...]
    records: Counter[tuple[str, str]]


def contents_of(robots: RobotsTxt) -> list[GroupContents]:
    """Return the contents of each group of a file in its dialect, and last those of the file."""
    records = records_by_group(robots)
    groups = (
        GroupContents(*settled(text_of(group)), Counter(records[at]))
        for at, group in enumerate(robots.groups)
    )
    return [*groups, GroupContents((), (), Counter(records[None]))]


def placed_records(robots: RobotsTxt) -> Iterator[tuple[Record, int | None]]:
    """Yield the records of a file, each with the index of its group, None if it has none."""
    records = robots.records
    # Records of one group share it; its start-group lines, perhaps thousands, are listed once.
    groups = {id(record.group): record.group for record in records if record.group}
    places = {first_line(group): at for at, group in enumerate(robots.groups if groups else ())}
    known = {key: places[first_line(group)] for key, group in groups.items()}
    for record in records:
        yield record, known.get(id(record.group))


def records_by_group(robots: RobotsTxt) -> defaultdict[int | None, list[tuple[str, str]]]:
    """Return fields and values of the records of each group, by its index; of the whole file, by
    None."""
    found: defaultdict[int | None, list[tuple[str, str]]] = defaultdict(list)
    for record, place in placed_records(robots):
        found[place].append((record.field, record.raw))
    return found


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


# Lines: comments directly above a line belong to it; records of the whole file, such as `Sitemap`,
# belong to no group, and those at the end of a file stay there.

RULES = ("allow", "disallow")


class GroupLines:
    """The lines of one file, by what they belong to."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self._lines = robots.lines

    @cached_property
    def _records(self) -> tuple[Record, ...]:
        """The records of the file that any dialect reads."""
        return read_again(self._robots, with_records(self._robots.dialect)).records

    @cached_property
    def of_file(self) -> frozenset[int]:
        """The lines of records of the whole file."""
        return frozenset(record.line for record in self._records if record.scope == "file")

    @cached_property
    def of_groups(self) -> frozenset[int]:
        """The lines of records of groups."""
        return frozenset(record.line for record in self._records) - self.of_file

    def lines_of(self, groups: Iterable[Group]) -> list[int]:
        """Return the lines to remove with some groups, in order.

        These are start-group lines, rules, records of the groups, and unread lines among them.
        Comments and records of the whole file are kept. Of the blank lines around them, those are
        removed that would be doubled, or at the end of the file.
        """
        own = {number for group in groups for number in self._own_lines(group)}
        numbers = range(1, len(self._lines) + 1 if own else 1)
        parts = groupby(numbers, lambda number: number in own or self.is_blank(number))
        runs = [list(part) for is_run, part in parts if is_run]
        around = (self._blanks_to_go(run, own) for run in runs if not own.isdisjoint(run))
        return sorted(own.union(*around))

    def _own_lines(self, group: Group) -> Iterator[int]:
        is_near, starts = True, set(group.start_lines)
        for number in range(min(starts), len(self._lines) + 1):
            line = self._lines[number - 1]
            if line.kind == "start-group" and number not in starts:
                break
            is_near = is_near and not self.is_blank(number)
            is_unread = line.key is not None and number not in self.of_file
            if self._is_of_a_group(line) or (is_near and is_unread):
                yield number
                is_near = True

    def _blanks_to_go(self, run: Sequence[int], own: set[int]) -> list[int]:
        """Return the blank lines to remove from a run of them and of removed lines.

        The first blank lines of a run are kept; at the end of the file, only the last ones.
        """
        parts = [(goes, list(part)) for goes, part in groupby(run, own.__contains__)]
        blanks = [part for goes, part in parts if not goes]
        if run[-1] == len(self._lines):
            kept = blanks[-1:] if not parts[-1][0] else []
        else:
            kept = blanks[:1] if run[0] > 1 or not parts[0][0] else []
        return [number for part in blanks if part not in kept for number in part]

    def end_of(self, group: Group) -> int:
        """Return the line after which to insert a record of a group."""
        number = max([*group.start_lines, *(rule.line for rule in group.rules)])
        while number < len(self._lines) and number + 1 in self.of_groups:
            number += 1
        return number

    def ends_of_groups(self) -> list[int]:
        """Return the lines after which a new last group may be inserted, the best first.

        Comments that belong to the last group come before it, unless they exceed what is read.
        """
        read = (line.number for line in self._lines if self._is_of_a_group(line))
        last = max(read, default=0)
        if not last:
            return [self._before_records()]
        return list(dict.fromkeys((self._past_what_belongs(last), last)))

    def start_of(self, group: Group) -> int:
        """Return the line after which to insert a group that precedes another.

        Where the start-group line of a group is not read, it is not known: then the first line.
        """
        return self._above_comments(group.start_lines[0]) - 1 if group.start_lines else 0

    def end_of_records(self, field: str) -> tuple[int, bool]:
        """Return the line after which to insert a record of the whole file, and whether that line
        is also such a record."""
        alike = [line.number for line in self._lines if line.field == field]
        if alike and alike[-1] in self.of_file:
            return alike[-1], True
        last = self._last_written()
        return last, last in self.of_file

    def is_blank(self, number: int) -> bool:
        """Whether a line is blank, or does not exist.

        A line that begins with a NUL is not blank, even where a dialect reads none of it.
        """
        if not 0 < number <= len(self._lines):
            return True
        line = self._lines[number - 1]
        return line.kind == "blank" and not self._robots.body[slice(*line.span)].strip()

    def _is_of_a_group(self, line: Line) -> bool:
        is_rule = line.kind == "start-group" or line.field in RULES
        return is_rule or line.number in self.of_groups

    def _past_what_belongs(self, number: int) -> int:
        """Return the last line of a block, without comments that belong to a record after it."""
        end = number
        while not self.is_blank(end + 1) and end + 1 not in self.of_file:
            end += 1
        if end + 1 not in self.of_file:
            return end
        return max(number, self._above_comments(end + 1) - 1)

    def _before_records(self) -> int:
        """Return the line after which to insert the first group: before any record of the file."""
        if not self.of_file:
            return self._last_written()
        first = min(self.of_file)
        above = self._above_comments(first)
        return above - 1 if above > 1 else first - 1

    def _above_comments(self, number: int) -> int:
        """Return the first of the comments directly above a line, or the line itself."""
        while number > 1 and self._lines[number - 2].kind == "comment":
            number -= 1
        return number

    def _last_written(self) -> int:
        """Return the last line that is not blank; 0 if all of them are."""
        numbers = range(len(self._lines), 0, -1)
        return next((number for number in numbers if not self.is_blank(number)), 0)
