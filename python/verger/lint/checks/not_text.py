"""RT104: a file that is not text."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT104", "error", reads_any_file=True)
def not_text(file: File) -> Iterator[Found]:
    """A file that is not text, such as one that a server compressed without saying so.

    Why: crawlers find no rules in it, and fetch everything.

    Use instead: plain text, served as `text/plain`, with `Content-Encoding` if it is compressed.
    """
    for finding in file.by_code.get("not-text", [])[:1]:
        yield Found(finding.line, "the file is not text")
