"""RT311: an escape that was escaped again."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

TWICE = re.compile(rb"%25([0-9A-Fa-f]{2})")

NESTED = re.compile(rb"%3A%2F|https?(?::|%3A)", re.IGNORECASE)
"""A URL within the pattern, whose own escapes must be escaped."""


@check("RT311", "note", fix="unsafe")
def double_escape(file: File) -> Iterator[Found]:
    """A path pattern with an escaped escape, such as `%2520` for a blank.

    `%25` is a percent sign, so `%2520` means the characters `%20`, not a blank.

    Why: it matches only URLs whose escapes were also escaped again.

    Use instead: `%20`.

    Fix: the inner escape is written. The rule then matches different URLs, so the fix is unsafe.
    """
    for rule in file.rules:
        match = TWICE.search(rule.pattern_bytes)
        if match and not NESTED.search(rule.pattern_bytes):
            new = TWICE.sub(rb"%\1", rule.pattern_bytes)
            start = rule.span[0]
            fix = file.rewrite(rule.span, new, f"Write {quoted(new)}", "unsafe")
            what = (
                f"{quoted(match[0])} in {quoted(rule.pattern)} is an escape that was escaped again"
            )
            yield Found(rule.line, what, (start + match.start(), start + match.end()), fix=fix)
