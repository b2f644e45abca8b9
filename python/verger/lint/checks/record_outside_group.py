"""RT411: a record for crawlers outside any group."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

FOR_GROUPS = ("crawl-delay", "request-rate", "visit-time", "content-usage")


@check("RT411", "warning")
def record_outside_group(file: File) -> Iterator[Found]:
    """A `Crawl-delay`, `Content-Usage` or similar line before any `User-agent` line.

    Why: it applies to no crawler.

    Use instead: the line inside the group of the crawlers that it is meant for.
    """
    first = file.groups[0].start_lines[0] if file.groups else len(file.lines) + 1
    for line in file.lines[: first - 1]:
        if line.field in FOR_GROUPS:
            yield Found(line.number, f"{quoted(line.key or '')} is outside any group")
