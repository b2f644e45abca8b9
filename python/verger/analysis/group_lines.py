"""Lines of groups: which lines belong to a group, and where to insert a new one.

In: a parsed file. Out: line numbers. Comments directly above a line belong to it; records of the
whole file, such as `Sitemap`, belong to no group, and those at the end of a file stay there.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby

from verger._core import Group, Line, Record, RobotsTxt
from verger.analysis.readings import with_records
from verger.crawlers.binding import read_again

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
        return sorted(own.union(*(self._blanks_to_go(run, own) for run in self._runs(own))))

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

    def _runs(self, own: set[int]) -> Iterator[range]:
        """Yield the longest runs of removed or blank lines that contain removed ones."""
        end = 0
        for number in sorted(own):
            if number < end:
                continue
            start, end = number, number + 1
            while start > 1 and self.is_blank(start - 1):
                start -= 1
            while end in own or (end <= len(self._lines) and self.is_blank(end)):
                end += 1
            yield range(start, end)

    def _blanks_to_go(self, run: range, own: set[int]) -> list[int]:
        """Return the blank lines of a run to remove with its other lines.

        The first blank lines of a run are kept; at the end of the file, only the last ones.
        """
        parts = [(goes, list(part)) for goes, part in groupby(run, own.__contains__)]
        blanks = [part for goes, part in parts if not goes]
        if run.stop > len(self._lines):
            kept = blanks[-1:] if not parts[-1][0] else []
        else:
            kept = blanks[:1] if run.start > 1 or not parts[0][0] else []
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
