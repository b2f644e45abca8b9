"""RT107: a line longer than crawlers read."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check(
    "RT107",
    "long-line",
    "warning",
    why="crawlers cut such a line or leave it out, and its rule says something else",
)
def long_line(file: File) -> Iterator[Found]:
    """A line of more than 16,663 bytes, which Google's own parser cuts, and others leave out.

    Use instead: shorter patterns; comments on lines of their own.
    """
    limits = [robots.dialect.max_line_len for robots in file.readings.values()]
    least = min((limit for limit in limits if limit), default=len(file.body))
    for line in file.lines if len(file.body) > least else ():
        size = line.span[1] - line.span[0]
        if size > least:
            yield Found(line.number, f"the line has {size:,} bytes, and crawlers read {least:,}")
