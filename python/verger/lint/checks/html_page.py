"""RT102: an HTML page in place of a robots.txt file."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT102", "error", reads_any_file=True)
def html_page(file: File) -> Iterator[Found]:
    """An HTML page, as servers send it in place of a missing file.

    A file that has a `User-agent` line is a robots.txt file, and its HTML lines are RT115.

    Why: crawlers find no rules in it, and fetch everything.

    Use instead: a text file, or status 404 if there is no robots.txt file.
    """
    for finding in file.by_code.get("html", [])[:1]:
        yield Found(finding.line, "the file is an HTML page, not a robots.txt file")
