"""RT106: a file longer than crawlers read."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT106", "error")
def over_parsing_limit(file: File) -> Iterator[Found]:
    """A file of more than 500 KiB: Google ignores the rest (RFC 9309 section 2.5).

    Why: rules beyond the limit are not read, and the rule at the limit may be cut.

    Use instead: fewer rules. `verger minimise` finds those that change no decision.
    """
    for finding in file.by_code.get("over-parsing-limit", [])[:1]:
        what = f"Google reads 500 KiB of {len(file.body):,} bytes, up to this line"
        yield Found(finding.line, what)
