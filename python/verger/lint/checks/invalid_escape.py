"""RT312: a percent sign that is not an escape."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


@check("RT312", "warning")
def invalid_escape(file: File) -> Iterator[Found]:
    """A `%` in a path pattern without two hexadecimal digits after it.

    Why: crawlers compare it as written, while browsers send `%25` for a percent sign.

    Use instead: `%25` for a percent sign, or the whole escape.
    """
    for rule in file.rules:
        match = BROKEN.search(rule.pattern_bytes)
        if match:
            start = rule.span[0] + match.start()
            what = f"`%` in {quoted(rule.pattern)} does not begin an escape such as `%20`"
            yield Found(rule.line, what, (start, start + 1))
