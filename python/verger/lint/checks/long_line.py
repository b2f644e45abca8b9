"""RT107: a line longer than crawlers read."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT107", "warning")
def long_line(file: File) -> Iterator[Found]:
    """A line of more than 16,663 bytes, which Google's own parser cuts, and others skip.

    Why: crawlers cut such a line or skip it, so its rule changes or is lost.

    Use instead: shorter patterns; comments on lines of their own.
    """
    for number in sorted({finding.line for finding in file.in_any("long-line")}):
        size = len(file.text(file.line(number).span).rstrip(b"\r\n"))
        yield Found(number, f"the line has {size:,} bytes, more than crawlers read")
