"""RT202: a start-group line without a product token."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT202", "error")
def empty_token(file: File) -> Iterator[Found]:
    """A `User-agent` line that names no crawler (RFC 9309 section 2.2.1).

    Why: the rules after it apply to no crawler.

    Use instead: `User-agent: *` for all crawlers, or a product token.
    """
    for number in sorted({each.line for each in file.by_code.get("empty-agent", [])}):
        yield Found(number, "the `User-agent` line names no crawler")
