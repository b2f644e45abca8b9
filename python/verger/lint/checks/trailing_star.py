"""RT309: a star at the end of a pattern."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT309", "note", fix="unsafe")
def trailing_star(file: File) -> Iterator[Found]:
    """A path pattern that ends in `*`, such as `/private/*`.

    A pattern is compared with the beginning of a path (RFC 9309 section 2.2.2): `/private/` matches
    the same paths. The star counts as a byte when the longest pattern decides.

    Why: a pattern matches everything that begins with it, with or without the star.

    Use instead: the pattern without the star.

    Fix: the star is removed. Other rules may then outrank the shorter pattern, and readers of 1994
    and 1996 take a star for a letter, so the fix is unsafe.
    """
    for rule in () if file.literal else file.rules:
        bare = rule.pattern_bytes.rstrip(b"*")
        if bare and bare != rule.pattern_bytes:
            span = (rule.span[0] + len(bare), rule.span[1])
            fix = file.rewrite(span, b"", "Remove the star", "unsafe")
            what = f"{quoted(rule.pattern)} matches what {quoted(bare)} matches"
            yield Found(rule.line, what, span, fix=fix)
