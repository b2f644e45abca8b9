"""Readings: the ways in which one dialect reads a file.

In: a dialect, or files. Out: the same with more records. To read a field changes no rule of any
crawler, except `Content-Usage`: by its draft (draft-ietf-aipref-attach-05) it ends the run of
start-group lines, as a rule does. No named dialect reads it, but crawlers that follow the draft do.
So what is promised about a file is proved in both readings.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice

from verger._core import Dialect, RobotsTxt, parse
from verger.crawlers.binding import read_again
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


def readings(old: RobotsTxt, new: RobotsTxt) -> Iterator[tuple[str, RobotsTxt, RobotsTxt]]:
    """Yield the name of each reading that a proof covers, and two versions of a file in it.

    The one with `Content-Usage` is left out if neither version has a line of it.
    """
    has_usage = any(DRAFT.encode() in robots.body.lower() for robots in (old, new))
    both = zip(readings_of(old.dialect).items(), readings_of(new.dialect).values(), strict=False)
    for (name, before), after in islice(both, None if has_usage else 1):
        yield name, read_again(old, before), read_again(new, after)
