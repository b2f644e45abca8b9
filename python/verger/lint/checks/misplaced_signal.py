"""RT417: content signals in a place where they say little."""

from bisect import bisect
from collections.abc import Iterator, Sequence

from verger._core import Group
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.names import tokens_of
from verger.lint.words import quoted

SIGNALS = ("content-signal", "content-usage")

OF_THE_FILE = ("sitemap", "host")


@check("RT417", "note")
def misplaced_signal(file: File) -> Iterator[Found]:
    """A `Content-Signal` above the first group, behind a `Sitemap`, or in a closed group.

    Signals are lines of a group (Cloudflare documentation, Content Signals). Above the first group
    they have no crawlers; at the end of a file they are of its last group, whatever stands between;
    in a group that disallows everything nothing is left to use.

    Why: crawlers look for signals in the group that they follow.

    Use instead: the line below `User-agent: *`, and in each other group that needs it.
    """
    ends = [line.number for line in file.lines if line.field in OF_THE_FILE]
    places: dict[int, tuple[str | None, int | None]] = {}
    for record in file.records:
        if record.field not in SIGNALS:
            continue
        key = quoted(file.line(record.line).key or "")
        if record.group is None:
            if record.field == "content-signal":  # the other one is RT411
                yield Found(record.line, f"{key} is above the first group, and in none itself")
            continue
        group = id(record.group)  # several records share a group
        if group not in places:
            places[group] = _if_closed(file, record.group), _end_of(ends, record.group)
        closed, end = places[group]
        if closed is not None:
            yield Found(record.line, f"{key} is in the group of {closed}, which may fetch nothing")
        elif end is not None and end < record.line:
            name = quoted(tokens_of(record.group)[0])
            yield Found(record.line, f"{key} belongs to the group of {name}, and to no other")


def _if_closed(file: File, group: Group) -> str | None:
    """Return the first crawler of a group in which no crawler may fetch anything."""
    agents = file.agents_of(group)
    is_closed = bool(agents) and all(file.posture_of(agent) == "none" for agent in agents)
    return quoted(tokens_of(group)[0]) if is_closed else None


def _end_of(ends: Sequence[int], group: Group) -> int | None:
    """Return the line where a group that is not for all crawlers seems to end.

    ends:  the lines of the file that are of no group.
    """
    if not group.product_tokens or "*" in group.product_tokens:
        return None
    at = bisect(ends, group.start_lines[-1])
    return ends[at] if at < len(ends) else None
