"""RT308: several stars in a row."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

STARS = re.compile(rb"\*\*+")


@check("RT308", "note", fix="unsafe")
def repeated_star(file: File) -> Iterator[Found]:
    """A path pattern with `**`, which has no meaning of its own in robots.txt.

    `*` also matches slashes (RFC 9309 section 2.2.3).

    Why: `**` matches what `*` matches, but is longer, so the rule may outrank others.

    Use instead: `*`.

    Fix: one star is kept. Other rules may then outrank the shorter pattern, and readers of 1994 and
    1996 take a star for a letter, so the fix is unsafe.
    """
    for rule in () if file.literal else file.rules:
        match = STARS.search(rule.pattern_bytes)
        if match:
            start = rule.span[0]
            span = (start + match.start(), start + match.end())
            fix = file.rewrite(span, b"*", "Write one `*`", "unsafe")
            what = f"`{match[0].decode()}` in {quoted(rule.pattern)} matches what `*` matches"
            yield Found(rule.line, what, span, fix=fix)
