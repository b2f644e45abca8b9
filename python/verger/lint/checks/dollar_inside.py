"""RT307: a `$` that is not at the end of its pattern."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT307", "warning")
def dollar_inside(file: File) -> Iterator[Found]:
    """A path pattern with a `$` before its end, such as `/*.php$?`.

    Crawlers then look for a `$` in the URL (RFC 9309 section 2.2.3).

    Why: `$` marks the end of a path only as the last character; elsewhere it is a dollar sign.

    Use instead: the pattern up to `$`, or `%24` if the URL has a dollar sign.
    """
    for rule in file.rules:
        at = rule.pattern_bytes.find(b"$")
        if 0 <= at < len(rule.pattern_bytes) - 1 and _is_meant_as_end(rule.pattern_bytes, at):
            start = rule.span[0] + at
            what = f"`$` within {quoted(rule.pattern)} is a dollar sign, not the end of the path"
            yield Found(rule.line, what, (start, start + 1))


def _is_meant_as_end(pattern: bytes, at: int) -> bool:
    """Whether a `$` may be meant as the end, and not as part of a name such as `?$filter=`."""
    return (
        pattern[at + 1 : at + 2] in (b"*", b"?", b"/", b"$", b" ", b"&", b"|") or b".*" in pattern
    )
